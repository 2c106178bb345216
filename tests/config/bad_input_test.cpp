// Every way in which a scenario can be wrong, one by one: where, what, why, and what to try.
#include "tests/config/scenario_texts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

LoadedScenario load_file(const std::string& path) { return load_scenario(path, {}); }

/// kSmall with more of it, and the problems that it has then. Line 1 is empty; `more` starts on line 19.
std::string problems_with(const std::string& more) { return problems_of(load_text(kSmall + more)); }
std::string problems_when(std::string_view from, std::string_view to) {
  return problems_of(load_text(with(kSmall, from, to)));
}

TEST(BadInput, TheSmallScenarioHasNone) {
  const LoadedScenario loaded = load_text(kSmall);
  EXPECT_EQ(problems_of(loaded), "");
  EXPECT_TRUE(loaded.scenario);
}

TEST(BadInput, OperatorsWhoCannotDoThat) {
  const auto says = [](const std::string& table, const std::string& part) {
    const std::string problems = problems_with("[operators.swap]\n" + table);
    EXPECT_NE(problems.find(part), std::string::npos) << problems;
  };
  says("at = \"1h\"\naction = \"evict\"\n",
       "operators.swap.action = \"evict\" names no host; write host = 3");
  says("at = \"1h\"\naction = \"stop\"\nhost = 1\n", "is given, and a stop ends the whole run; leave it out");
  says("at = \"1h\"\naction = \"evict\"\nhost = 99999\n", "is not in the cluster");
  says("at = \"9000d\"\naction = \"evict\"\nhost = 0\n", "is after the window");
  says("at = \"1h\"\naction = \"disarm\"\n", "disarm");
}

// --- files

TEST(BadInput, AMissingFileNamesTheNearestScenario) {
  const std::string problems = problems_of(load_file("tiny-9"));
  EXPECT_TRUE(problems.starts_with("tiny-9: there is no such file or scenario; did you mean \"tiny-8\"?"))
      << problems;
}

TEST(BadInput, APathThatTheSystemDoesNotLookAt) {
  const std::string problems = problems_of(load_file(std::string(300, 'x')));
  EXPECT_TRUE(problems.ends_with("x: cannot be read: File name too long\n")) << problems;
}

TEST(BadInput, ADirectory) {
  const Folder folder;
  EXPECT_EQ(problems_of(load_file(folder.path())),
            folder.path() + ": this is a directory; give a scenario file in it\n");
}

TEST(BadInput, AFileOfAHundredMegabytesIsRefusedByItsSize) {
  const Folder folder;
  const std::string path = folder.write("huge.toml", "");
  fs::resize_file(path, 100'000'000);  // sparse: it takes no room on the disk
  EXPECT_EQ(
      problems_of(load_file(path)),
      path + ": is 100000000 bytes large, and a scenario has at most 4194304; is this the right file?\n");
}

TEST(BadInput, ADeviceThatNeverEnds) {
  EXPECT_EQ(problems_of(load_file("/dev/zero")), "/dev/zero: this is not a regular file\n");
}

TEST(BadInput, BinaryGarbage) {
  const Folder folder;
  const std::string path = folder.write("program.toml", std::string("name = 1\n\x7F"
                                                                    "ELF\0\0",
                                                                    15));
  EXPECT_EQ(problems_of(load_file(path)),
            path + ":2:1: byte 0x7F belongs to no text: this is a binary file; give a scenario in TOML\n");
  const std::string zeros = folder.write("zeros.toml", std::string(1000, '\0'));
  EXPECT_EQ(problems_of(load_file(zeros)),
            zeros + ":1:1: byte 0x00 belongs to no text: this is a binary file; give a scenario in TOML\n");
  const std::string latin = folder.write("latin.toml", "name = \"caf\xE9\"\n");
  EXPECT_NE(problems_of(load_file(latin)).find(":1:"), std::string::npos);
}

TEST(BadInput, BytesOfEveryValueAreRefusedOrReadButNeverFatal) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text = "name = \"" + std::string(3, static_cast<char>(byte)) + "\"\n";
    EXPECT_FALSE(load_text(text).problems.empty()) << byte;  // the cluster is missing in any case
  }
}

// Tables inside tables are walked by recursion: a few tens of thousands of them once ended the program.
TEST(BadInput, AKeyOfTensOfThousandsOfPartsIsRefusedByItsParts) {
  std::string dots = "a", spaced = "a", quoted = "a";
  for (int i = 0; i < 30'000; ++i) {
    dots += ".a";
    spaced += " .\ta";
    quoted += ".\"a.\\\"\"";
  }
  const std::string why = ": the key has more than 16 parts; no field of a scenario is so deep\n";
  for (const std::string& key : {dots, spaced, quoted}) {
    EXPECT_EQ(problems_of(load_text("\n  " + key + " = 1\n")), "test.toml:2:3" + why);
    EXPECT_EQ(problems_of(load_text("[" + key + "]\n")), "test.toml:1:2" + why);
    EXPECT_EQ(problems_of(load_text("b = [1.5, { " + key + " = 1 }]\n")), "test.toml:1:13" + why);
    EXPECT_EQ(problems_of(load_text("b = \"\"\"\n'\n\"\"\" # '\n" + key + " = 1\n")), "test.toml:4:1" + why);
  }
  EXPECT_TRUE(problems_of(load_text(kSmall, {dots + "=1"}))
                  .ends_with("...\" has a path of more than 16 parts; no field of a scenario is so deep\n"));
  EXPECT_TRUE(
      problems_of(load_text(kSmall, {"job.window={" + dots + "=1}"})).starts_with("--set: job.window"));
}

TEST(BadInput, DotsThatAreNotInAKeyAreNotCounted) {
  const std::string dots = "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a";
  const std::string text = "# " + dots + "\nquestion = \"" + dots + "\"\nname = '''\n" + dots + "'''\n";
  EXPECT_EQ(problems_of(load_text(text + kSmall)), "");
  const std::string deep = problems_of(load_text("a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a = 1\n" + kSmall));
  EXPECT_TRUE(deep.starts_with("test.toml:1:1: a is not known")) << deep;
}

TEST(BadInput, ASyntaxErrorHasItsPlaceAndReason) {
  const std::string problems = problems_of(load_text("name = \"a\"\nhosts = = 3\n"));
  EXPECT_TRUE(problems.starts_with("test.toml:2:9: this is not TOML: ")) << problems;
}

TEST(BadInput, ACircleOfExtendsIsShownWhole) {
  const Folder folder;
  const std::string a = folder.write("a.toml", "extends = \"b.toml\"\n");
  folder.write("b.toml", "name = \"b\"\nextends = \"c.toml\"\n");
  folder.write("c.toml", "extends = [\"a.toml\"]\n");
  const std::string problems = problems_of(load_file(a));
  EXPECT_NE(problems.find("c.toml:1:12: extends[0] = \"a.toml\" is circular: a.toml extends b.toml extends "
                          "c.toml extends a.toml; leave one of them out"),
            std::string::npos)
      << problems;
}

TEST(BadInput, AFileThatExtendsItself) {
  const Folder folder;
  const std::string a = folder.write("a.toml", "extends = \"a.toml\"\n" + kSmall);
  EXPECT_EQ(problems_of(load_file(a)), a + ":1:11: extends = \"a.toml\" is circular: a.toml extends a.toml; "
                                           "leave one of them out\n");
}

TEST(BadInput, ExtendsThatDoublesWithEveryLevelEnds) {
  const Folder folder;
  folder.write("f0.toml", "name = \"base\"\n");
  for (int i = 1; i <= 20; ++i) {
    const std::string below = "\"f" + std::to_string(i - 1) + ".toml\"";
    folder.write("f" + std::to_string(i) + ".toml", "extends = [" + below + ", " + below + "]\n");
  }
  EXPECT_NE(problems_of(load_file(folder.path("f20.toml"))).find("makes more than 100 files"),
            std::string::npos);
}

TEST(BadInput, AMissingBaseIsSaidWhereItIsNamed) {
  EXPECT_EQ(problems_of(load_text("extends = \"nowhere.toml\"\n" + kSmall)),
            "test.toml:1:11: extends = \"nowhere.toml\" is not there; paths start at the folder of this "
            "file, or at the "
            "shipped scenarios\n");
}

TEST(BadInput, AMistakeInABaseHasTheBasesPlace) {
  const Folder folder;
  const std::string base = folder.write("base.toml", with(kSmall, "hosts = 2", "hosts = 0"));
  const std::string child = folder.write("child.toml", "extends = \"base.toml\"\n[spares]\ncount = -1\n");
  EXPECT_EQ(problems_of(load_file(child)),
            child + ":3:9: spares.count = -1 is below 0\n" + base + ":3:9: cluster.hosts = 0 is below 1\n");
}

TEST(BadInput, WithoutItsBaseNothingElseIsMissing) {
  EXPECT_EQ(problems_of(load_text("extends = \"nowhere.toml\"\n[spares]\ncount = 1\n")),
            "test.toml:1:11: extends = \"nowhere.toml\" is not there; paths start at the folder of this "
            "file, or at the "
            "shipped scenarios\n");
  const Folder folder;
  const std::string base = folder.write("base.toml", "a = = 1\n");
  const std::string problems =
      problems_of(load_file(folder.write("child.toml", "extends = \"base.toml\"\n")));
  EXPECT_TRUE(problems.starts_with(base + ":1:5: this is not TOML")) << problems;
  EXPECT_EQ(std::count(problems.begin(), problems.end(), '\n'), 1) << problems;
}

TEST(BadInput, AProfileIsNoScenario) {
  const Folder folder;
  const std::string faults =
      folder.write("catalog/faults/mine.toml", "[faults.f]\n" + kCrash + "mtbf = \"9d\"\n");
  EXPECT_EQ(problems_of(load_file(faults)),
            faults +
                ": is a profile to extend, no whole scenario; write extends = "
                "\"catalog/faults/mine.toml\" in one\n");
  const std::string wrong = folder.write("catalog/faults/wrong.toml", "[faults.f]\n" + kCrash + "mtbf = 9\n");
  EXPECT_NE(problems_of(load_file(wrong)).find(wrong + ":5:8: faults.f.mtbf = 9 has no unit"),
            std::string::npos);
  const std::string model = folder.write("catalog/models/own.toml", "name = \"own\"\n");
  EXPECT_EQ(
      problems_of(load_file(model)),
      model + ": is an entry of the catalogue, no scenario; a scenario takes it with job.model = \"own\"\n");
}

// --- names

TEST(BadInput, AMisspeltFaultIsNoNewOne) {
  const Folder folder;
  folder.write("base.toml", kSmall + "[faults.faulty_gpu]\n" + kCrash + "mtbf = \"9d\"\n");
  const std::string child =
      folder.write("child.toml", "extends = \"base.toml\"\n[faults.faulty_gpus]\nmtbf = \"100000d\"\n");
  const std::string meant = " is missing; did you mean \"faulty_gpu\", which is there already? else write ";
  EXPECT_EQ(problems_of(load_file(child)),
            child + ":2:1: faults.faulty_gpus.component" + meant + "component = \"host\"\n" + child +
                ":2:1: faults.faulty_gpus.effect" + meant + "effect = \"crash\"\n");
  EXPECT_EQ(problems_of(load_text(kSmall, {"faults.new.mtbf=5d"})),
            "--set: faults.new.component is missing; write component = \"host\"\n"
            "--set: faults.new.effect is missing; write effect = \"crash\"\n");
}

TEST(BadInput, AFaultNamedAsWhatIsNoFault) {
  for (const std::string name : {"start", "planned_stop", "false_alarm", "checkpoint", "unattributed",
                                 "evaluation", "fewer_replicas", "preempted"})
    EXPECT_EQ(problems_with("[faults." + name + "]\n" + kCrash + "mtbf = \"9d\"\n"),
              "test.toml:19:1: faults." + name +
                  " has the name of a cause of lost time that is not a fault; choose another name\n");
}

TEST(BadInput, TheBeginningOfANameIsEnoughToNameIt) {
  EXPECT_TRUE(
      problems_when("\"tiny-1b\"", "\"mt-nlg\"")
          .starts_with("test.toml:7:9: job.model = \"mt-nlg\" is not in the catalogue's models; did you mean "
                       "\"mt-nlg-530b\"?"));
}

TEST(BadInput, OneNameWhereAListBelongs) {
  EXPECT_EQ(
      problems_with("[policies]\ndetect = \"log\"\n"),
      "test.toml:20:10: policies.detect = \"log\" is a string; this takes a list of names, each a detector: "
      "[\"log\"]\n");
}

TEST(BadInput, AMisspeltKeyNamesTheNearest) {
  EXPECT_TRUE(
      problems_with("fre = true\n")
          .starts_with(
              "test.toml:19:1: storage.fre is not known; did you mean \"free\"? known are \"mode\", "));
}

TEST(BadInput, AMisspeltKeyIsNotAlsoMissing) {
  const std::string problems = problems_when("hosts = 2", "hsots = 2");
  EXPECT_TRUE(problems.starts_with("test.toml:3:1: cluster.hsots is not known; did you mean \"hosts\"?"))
      << problems;
  EXPECT_EQ(std::count(problems.begin(), problems.end(), '\n'), 1) << problems;
}

TEST(BadInput, AMisspeltSection) {
  EXPECT_TRUE(problems_with("[checkpiont]\ninterval = \"5min\"\n")
                  .starts_with("test.toml:19:2: checkpiont is not known; did you mean \"checkpoint\"?"))
      << problems_with("[checkpiont]\n");
}

TEST(BadInput, AnUnknownNameListsTheKnownOnes) {
  EXPECT_EQ(problems_with("[policies]\ncheckpoint = \"dayl\"\n"),
            "test.toml:20:14: policies.checkpoint = \"dayl\" is not a checkpoint policy; did you mean "
            "\"daly\"? known are "
            "\"fixed\", \"young\", \"daly\", \"exact\", \"two-level\"\n");
  EXPECT_EQ(problems_with("[policies]\ndetect = [\"heartbeat\", \"psychic\"]\n"),
            "test.toml:20:24: policies.detect[1] = \"psychic\" is not a detector; known are \"heartbeat\", "
            "\"exit\", \"log\", \"hang\", \"collective-timeout\", \"traffic-stopped\", "
            "\"traffic-period\", \"fail-slow\", \"mfu\", \"loss\", \"flap\", \"learned-hang\", "
            "\"change-point\"\n");
}

TEST(BadInput, UnknownHardwareAndModel) {
  EXPECT_EQ(problems_when("\"h100\"", "\"h1000\""),
            "test.toml:4:12: cluster.hardware = \"h1000\" is not in the catalogue's hardware; did you mean "
            "\"h100\"? known "
            "are \"a100-40g\", \"a100-80g\", \"h100\", \"h200\", \"h800\"\n");
  EXPECT_TRUE(
      problems_when("\"tiny-1b\"", "\"../../etc/passwd\"")
          .starts_with(
              "test.toml:7:9: job.model = \"../../etc/passwd\" is not in the catalogue's models; known are"));
}

TEST(BadInput, AFaultThatAProbeCannotKnow) {
  EXPECT_EQ(
      problems_with("[faults.gpu]\n" + kCrash +
                    "mtbf = \"9d\"\n[probes.p]\ntime = \"1s\"\ndetects = { gpo = 0.5 }\n"),
      "test.toml:26:13: probes.p.detects.gpo is not a fault of this scenario; did you mean \"gpu\"? known "
      "are "
      "\"gpu\"\n");
}

TEST(BadInput, ALogLineThatNoFaultLogs) {
  EXPECT_EQ(problems_with("[faults.gpu]\n" + kCrash +
                          "mtbf = \"9d\"\nlog = \"xid\"\n[detection]\nlines = { xld = \"replace\" }\n"),
            "test.toml:26:11: detection.lines.xld is not a log line of this scenario; did you mean "
            "\"xid\"? known are \"xid\"\n");
}

TEST(BadInput, AProbeThatIsNotThereOrNamedTwice) {
  EXPECT_EQ(problems_with("[probes.p]\ntime = \"1s\"\n[diagnosis]\nsuite = [\"p\", \"q\", \"p\"]\n"),
            "test.toml:22:15: diagnosis.suite[1] = \"q\" is not a probe of this scenario; known are \"p\"\n"
            "test.toml:22:20: diagnosis.suite[2] = \"p\" is named twice\n");
}

TEST(BadInput, ANameThatSetCouldNotReach) {
  EXPECT_EQ(problems_with("[faults.\"a.b\"]\nmtbf = \"9d\"\n"),
            "test.toml:19:9: faults.\"a.b\" is not a plain name; use letters, digits, _ and -\n");
}

// --- values

TEST(BadInput, AMissingUnit) {
  EXPECT_EQ(
      problems_with("[faults.gpu]\n" + kCrash + "mtbf = \"300\"\n"),
      "test.toml:23:8: faults.gpu.mtbf = \"300\" has no unit; write \"300s\", \"300min\" or \"300h\"\n");
  EXPECT_EQ(problems_with("[faults.gpu]\n" + kCrash + "mtbf = 300\n"),
            "test.toml:23:8: faults.gpu.mtbf = 300 has no unit; write \"300s\", \"300min\" or \"300h\"\n");
  EXPECT_EQ(problems_with("write = 80\n"),
            "test.toml:19:9: storage.write = 80 has no unit; write \"80GB/s\" or \"80Gb/s\"\n");
}

TEST(BadInput, AnUnknownUnit) {
  EXPECT_EQ(problems_when("\"10d\"", "\"10days\""),
            "test.toml:9:10: job.window = \"10days\" has the unknown unit \"days\"; known units are y w d h "
            "min s ms us "
            "ns\n");
}

TEST(BadInput, AWrongType) {
  EXPECT_EQ(problems_when("hosts = 2", "hosts = \"two\""),
            "test.toml:3:9: cluster.hosts = \"two\" is a string; this takes a whole number\n");
  EXPECT_EQ(problems_when("hosts = 2", "hosts = 2.5"),
            "test.toml:3:9: cluster.hosts = 2.5 is a number; this takes a whole number\n");
  EXPECT_EQ(problems_with("[faults]\ngpu = 3\n"),
            "test.toml:20:7: faults.gpu = 3 is a whole number; this takes a table such as { component = "
            "\"host\", effect = \"crash\" }\n");
  EXPECT_EQ(problems_with("[repair]\ntime = 2024-05-01\n"),
            "test.toml:20:8: repair.time = \"2024-05-01\" has the unknown unit \"-\"; known units are y w d "
            "h min s ms us ns\n");
}

TEST(BadInput, ANumberInPlaceOfATableShowsATable) {
  EXPECT_EQ(
      problems_with("[faults.f]\n" + kCrash + "rate = 3\n"),
      "test.toml:23:8: faults.f.rate = 3 is a whole number; this takes a table such as { count = 3, over = "
      "\"30d x 128 hosts\" }\n");
  EXPECT_EQ(problems_of(load_text(kSmall, {"spares=3"})),
            "--set: spares = 3 is a whole number; this takes a table such as { policy = \"fixed\" }\n");
  EXPECT_EQ(problems_when("model = \"tiny-1b\"", "model = 7"),
            "test.toml:7:9: job.model = 7 is a whole number; this takes a name of the catalogue's models, or "
            "a table\n");
}

TEST(BadInput, AnEndlessLifeIsSaidAsNever) {
  for (const std::string life : {"inf", "\"inf\"", "\"infinity\"", "\"forever\""})
    EXPECT_EQ(problems_with("[faults.f]\n" + kCrash + "mtbf = " + life + "\n"),
              "test.toml:23:8: faults.f.mtbf = " + life +
                  " is not a length of time; write \"never\" for a fault that never strikes\n");
}

TEST(BadInput, RepairsTakeTimeWhereAFaultNeedsOne) {
  const std::string text = kSmall + "[faults.f]\ncomponent = \"host\"\neffect = \"crash\"\nmtbf = \"9d\"\n";
  EXPECT_EQ(
      problems_of(load_text(text)),
      "test.toml:1:1: repair.time is missing, and the remedy of faults.f is a repair; write [repair] time = "
      "\"8h\", or remedy = \"restart\" where that cures the fault\n");
  EXPECT_EQ(problems_of(load_text(text, {"repair.time=0s"})), "");  // who says so may have it
  EXPECT_EQ(problems_of(load_text(text, {"faults.f.remedy=restart"})), "");
}

TEST(BadInput, NegativeAndZeroRates) {
  const auto fault = [](const std::string& how) {
    return problems_with("[faults.gpu]\n" + kCrash + how + "\n");
  };
  EXPECT_EQ(fault("mtbf = \"-5h\""), "test.toml:23:8: faults.gpu.mtbf = \"-5h\" is negative\n");
  EXPECT_EQ(fault("mtbf = -5"), "test.toml:23:8: faults.gpu.mtbf = -5 is negative\n");
  EXPECT_EQ(fault("mtbf = \"0s\""), "test.toml:23:8: faults.gpu.mtbf = \"0s\" is not above zero\n");
  EXPECT_EQ(fault("rate = { count = 0, over = \"1d x 2 hosts\" }"),
            "test.toml:23:18: faults.gpu.rate.count = 0 is not above 0; write mtbf = \"never\" for a fault "
            "that never strikes\n");
  EXPECT_EQ(fault("rate = { count = -3, over = \"1d x 2 hosts\" }"),
            "test.toml:23:18: faults.gpu.rate.count = -3 is not above 0\n");
  EXPECT_EQ(fault("rate = { count = nan, over = \"1d x 2 hosts\" }"),
            "test.toml:23:18: faults.gpu.rate.count = nan is not a finite number\n");
  EXPECT_EQ(fault("rate = { count = 3, over = \"0d x 2 hosts\" }"),
            "test.toml:23:28: faults.gpu.rate.over = \"0d x 2 hosts\" lasts no time; write for example \"54d "
            "x 2048 "
            "hosts\"\n");
  EXPECT_EQ(fault("rate = { count = 3, over = \"1d x 2 desks\" }"),
            "test.toml:23:28: faults.gpu.rate.over = \"1d x 2 desks\" counts \"desks\"; count hosts, gpus, "
            "nics, racks, tors, aggregations, spines, power (domains) or jobs: \"54d x 2048 hosts\"\n");
  EXPECT_TRUE(fault("").starts_with("test.toml:19:1: faults.gpu.rate is missing; write rate = {"))
      << fault("");
}

TEST(BadInput, ProbabilitiesOutsideTheUnitInterval) {
  EXPECT_EQ(problems_with("[probes.p]\ntime = \"1s\"\nfalse_positive = 1.5\n"),
            "test.toml:21:18: probes.p.false_positive = 1.5 is above 1\n");
  EXPECT_EQ(problems_with("[faults.gpu]\n" + kCrash + "mtbf = \"9d\"\nlog_probability = -0.1\n"),
            "test.toml:24:19: faults.gpu.log_probability = -0.1 is below 0\n");
  EXPECT_EQ(problems_with("[faults.gpu]\n" + kCrash +
                          "mtbf = \"9d\"\n[probes.p]\ntime = \"1s\"\ndetects = { gpu = 90 }\n"),
            "test.toml:26:19: probes.p.detects.gpu = 90 is above 1\n");
}

TEST(BadInput, ALongTextIsCutInTheMessage) {
  const std::string problems = problems_with("[people]\nresponse = \"" + std::string(100'000, '5') + "\"\n");
  EXPECT_LT(problems.size(), 300U);
}

// --- laws

TEST(BadInput, LawsWithTheWrongParameters) {
  const auto time = [](const std::string& law) { return problems_with("[repair]\ntime = " + law + "\n"); };
  EXPECT_EQ(time("{ name = \"wiebull\", shape = 0.7, mean = \"1h\" }").substr(0, 80),
            "test.toml:20:17: repair.time.name = \"wiebull\" is not a distribution; did you mea");
  EXPECT_EQ(time("{ name = \"weibull\", shape = 0.7 }"),
            "test.toml:20:8: repair.time does not have the parameters of the distribution \"weibull\"; it "
            "takes scale, "
            "shape; or mean, "
            "shape\n");
  EXPECT_EQ(time("{ name = \"gamma\", shape = 0.7, meen = \"1h\" }"),
            "test.toml:20:39: repair.time.meen is not a parameter of the distribution \"gamma\"; it takes "
            "mean, shape\n");
  EXPECT_EQ(time("{ name = \"gamma\", shape = 0, mean = \"1h\" }"),
            "test.toml:20:34: repair.time.shape = 0 is not above 0\n");
  EXPECT_EQ(time("{ name = \"pareto\", alpha = 1, mean = \"1h\" }"),
            "test.toml:20:8: repair.time has an infinite mean: its alpha must be above 1\n");
  EXPECT_EQ(time("{ name = \"uniform\", low = \"2h\", high = \"1h\" }"),
            "test.toml:20:8: repair.time has its low not below its high\n");
  EXPECT_EQ(time("{ name = \"hyperexponential\", weights = [1, 2], means = [\"1h\"] }"),
            "test.toml:20:8: repair.time needs as many weights as means\n");
  EXPECT_EQ(time("{ mean = \"1h\" }"),
            "test.toml:20:8: repair.time has no name; write { name = \"exponential\", ... }\n");
  EXPECT_EQ(time("\"exponential\""),
            "test.toml:20:8: repair.time = \"exponential\" has no parameters; write { name = "
            "\"exponential\", ... }: it "
            "takes mean\n");
}

TEST(BadInput, AMeanThatIsSaidTwice) {
  EXPECT_EQ(
      problems_with("[faults.gpu]\n" + kCrash +
                    "mtbf = \"9d\"\nlaw = { name = \"weibull\", shape = 0.7, scale = \"1d\" }\n"),
      "test.toml:24:40: faults.gpu.law.scale says the mean that the rate says too; leave one of them out\n");
  EXPECT_EQ(problems_with("[faults.gpu]\n" + kCrash +
                          "mtbf = \"9d\"\nrate = { count = 1, over = \"1d x 1 hosts\" }\n"),
            "test.toml:23:8: faults.gpu.mtbf = \"9d\" is given together with rate; leave one of them out\n");
}

TEST(BadInput, AStationaryAgeNeedsAMean) {
  EXPECT_EQ(problems_with("[faults.gpu]\n" + kCrash +
                          "law = { name = \"pareto\", minimum = \"1d\", alpha = 0.9 }\n"),
            "test.toml:23:7: faults.gpu.law has an infinite mean, so there is no middle of a life to start "
            "in; set age = "
            "\"new\"\n");
}

TEST(BadInput, EffectsThatLackWhatTheyNeed) {
  EXPECT_EQ(problems_with(
                "[faults.f]\ncomponent = \"host\"\nremedy = \"restart\"\nmtbf = \"9d\"\neffect = \"slow\"\n"),
            "test.toml:19:1: faults.f.factor = 1.0, by default, is not above 1; a slow host takes `factor` "
            "times as long, a degraded "
            "NIC carries 1/`factor`\n");
  EXPECT_EQ(
      problems_with(
          "[faults.f]\ncomponent = \"host\"\nremedy = \"restart\"\nmtbf = \"9d\"\neffect = \"stall\"\n"),
      "test.toml:19:1: faults.f.heals_after is missing; a stall is a pause that heals: heals_after = "
      "\"3s\"\n");
}

TEST(BadInput, EffectsOnComponentsThatCannotHaveThem) {
  const std::string rest = "remedy = \"restart\"\nmtbf = \"9d\"\nfactor = 2\n";
  EXPECT_THAT(problems_with("[faults.f]\ncomponent = \"nic\"\neffect = \"slow\"\n" + rest),
              testing::HasSubstr("component = \"nic\" is a NIC, which computes nothing that could be slow"));
  EXPECT_THAT(problems_with("[faults.f]\ncomponent = \"gpu\"\neffect = \"degrade\"\n" + rest),
              testing::HasSubstr("component = \"gpu\" is a GPU, which has no bandwidth to lose"));
  EXPECT_THAT(
      problems_with("[faults.f]\ncomponent = \"host\"\neffect = \"degrade\"\nsegment = \"forward\"\n" + rest),
      testing::HasSubstr("segment = \"forward\" is given, and the effect is not slow; leave it out"));
}

TEST(BadInput, LayoutsThatTheModelOrItsMemoryRefuses) {
  EXPECT_THAT(problems_when("tp = 4", "tp = 3"), testing::HasSubstr("job.layout.tp = 3 does not divide"));
  EXPECT_THAT(problems_when("dp = 4", "dp = 4\ntp = 3"), testing::Not(testing::HasSubstr("ranks, where")));
  EXPECT_THAT(problems_when("\"tiny-1b\"", "\"gpt3-175b\""), testing::HasSubstr("of a GPU's 80 GB"));
}

TEST(BadInput, AFabricThatCannotConnect) {
  EXPECT_THAT(problems_when("hardware = \"h100\"",
                            "hardware = \"h100\"\nhosts_per_tor = 1\n"
                            "network = { kind = \"clos\", tors_per_pod = 1, spines = 1 }"),
              testing::HasSubstr("cluster.network.spines"));
}

// --- what does not fit together

TEST(BadInput, ALayoutThatDoesNotMultiplyToTheGpus) {
  const std::string problems = problems_when("dp = 4", "dp = 8\npp = 1");
  EXPECT_EQ(problems,
            "test.toml:11:1: job.layout has tp x pp x dp = 4 x 1 x 8, 32 ranks, where 2 hosts of 8 have 16 "
            "GPUs; dp = 4 would fit\n");
  // 3 divides no number of GPUs here, but 3 x 8 = 24 = 3 hosts of 8.
  EXPECT_NE(problems_when("tp = 4\ndp = 4", "tp = 1\npp = 3\ndp = 8").find("cluster.hosts = 3 would fit"),
            std::string::npos);
  EXPECT_NE(problems_when("dp = 4", "dp = 1000000000\npp = 1000000000"), "");  // more than 64 bits
  EXPECT_NE(problems_when("dp = 4", "dp = 1\npp = 8").find("tp x pp must divide 16"), std::string::npos);
}

TEST(BadInput, ABatchThatDoesNotDivide) {
  EXPECT_EQ(
      problems_when("global_batch = 16", "global_batch = 18"),
      "test.toml:8:16: job.global_batch = 18 is not a multiple of dp x micro_batch = 4 x 1; 20 would fit\n");
}

TEST(BadInput, AnIntervalLongerThanTheJob) {
  EXPECT_EQ(problems_with("[checkpoint]\ninterval = \"11d\"\n"),
            "test.toml:20:12: checkpoint.interval = \"11d\" is longer than the job's window of 10d; nothing "
            "would ever "
            "be saved\n");
  const std::string steps = with(kSmall, "window = \"10d\"", "steps = 10\nstep_time = \"6s\"");
  EXPECT_EQ(problems_of(load_text(steps + "[checkpoint]\ninterval = \"61s\"\n")),
            "test.toml:21:12: checkpoint.interval = \"61s\" is longer than the job's 1min of steps; nothing "
            "would ever be "
            "saved\n");
  EXPECT_EQ(problems_of(load_text(steps + "[checkpoint]\ninterval = \"60s\"\n")), "");
}

TEST(BadInput, AJobWithoutAnEnd) {
  EXPECT_EQ(problems_when("window = \"10d\"", ""),
            "test.toml:6:1: job.window = \"0s\", by default, and steps are both zero: the job has "
            "no end; set window = \"54d\", or steps, or tokens\n");
}

TEST(BadInput, WorkThatIsSaidTwiceAndNotAlike) {
  const LoadedScenario loaded = load_text(with(kSmall, "window = \"10d\"", "tokens = 1e9"));
  ASSERT_EQ(problems_of(loaded), "");
  const JobModel& job = loaded.scenario->world.job;
  const double of_step = 16.0 * job.model.sequence;
  EXPECT_GE(static_cast<double>(job.steps) * of_step, 1e9);
  EXPECT_LT(static_cast<double>(job.steps - 1) * of_step, 1e9);
  const std::string steps = std::to_string(job.steps);
  EXPECT_EQ(problems_when("window = \"10d\"", "tokens = 1e9\nsteps = " + steps), "");
  EXPECT_EQ(problems_when("window = \"10d\"", "tokens = 1e9\nsteps = 7"),
            "test.toml:10:9: job.steps = 7 are not the " + steps + " of job.tokens; leave one of them out\n");
  // What is written last counts.
  const LoadedScenario set = load_text(with(kSmall, "window = \"10d\"", "tokens = 1e9"), {"job.steps=7"});
  ASSERT_EQ(problems_of(set), "");
  EXPECT_EQ(set.scenario->world.job.steps, 7);
}

TEST(BadInput, HeartbeatsThatCannotWork) {
  EXPECT_EQ(problems_with("[telemetry]\nheartbeat_period = \"10s\"\nheartbeat_jitter = \"10s\"\n"),
            "test.toml:21:20: telemetry.heartbeat_jitter = \"10s\" is not below the period of 10s; "
            "heartbeats would "
            "overtake each other\n");
  EXPECT_EQ(problems_with("[telemetry]\nheartbeat_period = \"10s\"\nheartbeat_jitter = \"5s\"\n[detection]\n"
                          "timeout = \"15s\"\n"),
            "test.toml:23:11: detection.timeout = \"15s\" is not above a heartbeat's period and "
            "jitter together, "
            "15s; every host would count as lost: write \"30s\"\n");
}

TEST(BadInput, TrafficThatIsSilentBetweenTwoSamples) {
  const auto problems = [](const std::string& lasting, const std::string& detectors) {
    return problems_with(
        "[telemetry]\ntraffic_interval = \"3min\"\n[detection.traffic_stopped]\nlasting = \"" + lasting +
        "\"\n[policies]\ndetect = [" + detectors + "]\n");
  };
  EXPECT_EQ(problems("2min", "\"traffic-stopped\""),
            "test.toml:22:11: detection.traffic_stopped.lasting = \"2min\" is below "
            "telemetry.traffic_interval, 3min; the job would be stopped between any two samples of traffic: "
            "write \"6min\"\n");
  EXPECT_EQ(problems("3min", "\"traffic-stopped\""), "");
  EXPECT_EQ(problems("2min", "\"exit\""), "");
}

TEST(BadInput, StorageWithoutABandwidth) {
  EXPECT_EQ(
      problems_when("free = true", ""),
      "test.toml:15:1: storage.write is missing; write = \"1TB/s\", the measured persist, or free = true\n"
      "test.toml:15:1: storage.read is missing; read = \"1TB/s\", the measured load, or free = true\n");
}

TEST(BadInput, ATraceThatNamesWhatIsNotThere) {
  EXPECT_EQ(problems_with("[faults.f]\n" + kCrash + "trace = [{ at = \"1h\", component = 2 }]\n"),
            "test.toml:23:9: faults.f.trace = [{ at = \"1h\", component = 2 }] names component 2; the last "
            "one is 1; the traces of this scenario need 3 hosts: write spares.count = 1, or more "
            "cluster.hosts\n");
  // The largest of all traces: one mend is enough.
  EXPECT_THAT(
      problems_with("[faults.e]\n" + kCrash + "trace = [{ at = \"1h\", component = 2 }]\n[faults.f]\n" +
                    kCrash + "trace = [{ at = \"1h\", component = 17 }]\n"),
      testing::HasSubstr("names component 2; the last one is 1; the traces of this scenario need 18 hosts"));
}

TEST(BadInput, ATraceThatNamesANicBeyondTheLastHost) {
  // Two hosts of two NICs: the fourth is the last, and the eighth is in a fourth host.
  const std::string trace =
      "[faults.f]\ncomponent = \"nic\"\neffect = \"crash\"\nremedy = \"restart\"\ntrace = [{ at = \"1h\", "
      "component = ";
  const auto problems = [&](const std::string& nic) {
    return problems_of(load_text(with(kSmall, "hardware = \"h100\"", kTwoNics) + trace + nic + " }]\n"));
  };
  EXPECT_EQ(problems("3"), "");
  EXPECT_THAT(problems("7"), testing::HasSubstr("names component 7; the last one is 3; the traces of this "
                                                "scenario need 4 hosts: write spares.count = 2, or more"));
}

TEST(BadInput, MorePlannedStopsThanOneWay) {
  EXPECT_EQ(
      problems_with("[job.planned]\ncount = 3\ntimes = [\"1d\"]\n"),
      "test.toml:21:9: job.planned.times = [\"1d\"] is given together with count; leave one of them out\n");
  EXPECT_EQ(
      problems_with("[job.planned]\ntimes = [\"11d\"]\n"),
      "test.toml:20:9: job.planned.times = [\"11d\"] has a stop after the window of 10d; leave it out\n");
}

// --- --set

TEST(BadInput, SetsThatSayNothing) {
  EXPECT_EQ(problems_of(load_text(kSmall, {"checkpoint.interval"})),
            "--set: \"checkpoint.interval\" has no value; write --set checkpoint.interval=10min\n");
  EXPECT_EQ(problems_of(load_text(kSmall, {"=5"})),
            "--set: \"=5\" has no path; write --set checkpoint.interval=10min\n");
  EXPECT_TRUE(problems_of(load_text(kSmall, {"checkpoint.intervall=5min"}))
                  .starts_with("--set: checkpoint.intervall is not known; did you mean \"interval\"?"));
  EXPECT_EQ(problems_of(load_text(kSmall, {"checkpoint.interval=5"})),
            "--set: checkpoint.interval = 5 has no unit; write \"5s\", \"5min\" or \"5h\"\n");
}

// --- all at once

TEST(BadInput, AllMistakesOfAFileAtOnceInTheOrderOfTheirPlaces) {
  const std::string text = R"(nmae = "x"
[cluster]
hosts = 0
hardware = "h101"
[job]
model = "tiny-1b"
global_batch = "many"
window = 10
[job.layout]
tp = 4
dp = 4
[faults.gpu]
component = "gpu"
mtbf = "300"
effect = "explode"
[checkpoint]
intervall = "5min"
[storage]
free = true
)";
  const LoadedScenario loaded = load_text(text);
  EXPECT_FALSE(loaded.scenario);
  std::vector<std::uint32_t> lines;
  for (const Problem& problem : loaded.problems) lines.push_back(problem.line);
  EXPECT_EQ(lines, (std::vector<std::uint32_t>{1, 3, 4, 7, 8, 14, 15, 17})) << problems_of(loaded);
}

TEST(BadInput, TheSameMistakesEveryTime) {
  const std::string text = with(with(kSmall, "hosts = 2", "hsots = 2"), "dp = 4", "dp = \"x\"");
  EXPECT_EQ(problems_of(load_text(text)), problems_of(load_text(text)));
}

TEST(BadInput, HalfAFileIsNeverFatal) {
  // Every prefix of a whole scenario, as an editor or a full disk may leave it.
  const std::string whole =
      kSmall + "[faults.f]\n" + kCrash + "rate = { count = 1, over = \"1d x 2 hosts\" }\n";
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const LoadedScenario loaded = load_text(whole.substr(0, length));
    EXPECT_NE(loaded.scenario.has_value(), !loaded.problems.empty()) << length;
  }
}

// Defaults that follow from a layout are made before it is checked.
TEST(BadLayouts, AreToldBeforeAnythingFollowsFromThem) {
  EXPECT_NE(problems_of(load_text(kSmall, {"job.layout.ep=1000000000"})), "");
  EXPECT_NE(problems_of(load_text(kSmall, {"job.layout.pp=1000000000"})), "");
  EXPECT_NE(problems_of(load_text(kSmall, {"job.layout.tp=65536", "job.layout.cp=65536"})), "");
  EXPECT_NE(problems_of(load_text(kSmall, {"job.layout.dp=1000000000", "recovery.wait_for_spare=5min"})), "");
}

}  // namespace
}  // namespace gauntlet
