// In which forms a study's answer is made, and that no other form reaches anybody.
#include "shell/workbench.hpp"

#include "shell/caller.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

/// Keeps what it is answered.
class QuietCaller final : public Caller {
 public:
  void print(std::string_view) override {}
  void answer(const CommandAnswer& answer) override {
    report = answer.report;
    json = answer.json;
  }
  void say(std::string_view) override {}
  void complain(std::string_view) override {}
  void problems(std::span<const Problem>) override {}
  void warnings(std::span<const Problem>) override {}
  void progress(std::uint32_t, std::uint64_t) override {}
  std::atomic<bool>& stop() override { return stop_; }
  void keep(std::unique_ptr<Store>) override {}

  std::string report, json;

 private:
  std::atomic<bool> stop_ = false;
};

/// While it lives, standard output is a terminal with colours.
class Terminal {
 public:
  Terminal() {
    ::setenv("TERM", "xterm", 1);
    ::unsetenv("NO_COLOR");
    std::fflush(stdout);
    EXPECT_EQ(::openpty(&reads_, &its_end_, nullptr, nullptr, nullptr), 0);
    ::fcntl(reads_, F_SETFL, O_NONBLOCK);
    before_ = ::dup(STDOUT_FILENO);
    ::dup2(its_end_, STDOUT_FILENO);
  }
  ~Terminal() {
    ::dup2(before_, STDOUT_FILENO);
    for (const int each : {reads_, its_end_, before_}) ::close(each);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// What was written, which is a few lines.
  std::string text() const {
    char buffer[4096];
    const ssize_t count = ::read(reads_, buffer, sizeof buffer);
    return {buffer, static_cast<std::size_t>(count > 0 ? count : 0)};
  }

 private:
  int reads_ = -1, its_end_ = -1, before_ = -1;
};

/// A folder that is gone when the test is over.
class OutFolder {
 public:
  OutFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "gauntlet-workbench-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~OutFolder() { std::filesystem::remove_all(path_); }
  OutFolder(const OutFolder&) = delete;
  OutFolder& operator=(const OutFolder&) = delete;
  std::string path(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// Who is there to get an answer.
struct Audience {
  bool called = false, terminal = false, directory = false, json = false;
};

const std::vector<std::pair<Audience, Workbench::Forms>> kAudiences = {
    {{}, {}},
    {{.json = true}, {.json = true}},
    {{.directory = true}, {.json = true, .page = true}},
    {{.directory = true, .json = true}, {.json = true, .page = true}},
    {{.terminal = true}, {.coloured = true}},
    {{.terminal = true, .json = true}, {.json = true}},
    {{.terminal = true, .directory = true}, {.coloured = true, .json = true, .page = true}},
    {{.called = true}, {.json = true}},
    {{.called = true, .terminal = true}, {.json = true}},
    {{.called = true, .directory = true}, {.json = true, .page = true}},
};

std::string name_of(const Audience& who) {
  return std::string(who.called ? "a caller " : "the program ") + (who.terminal ? "on a terminal " : "") +
         (who.directory ? "with --out " : "") + (who.json ? "with --json" : "");
}

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

enum class Made { every_form, forms_that_are_named };

/// What reaches that audience, by where, of an answer in those forms; and the forms that the workbench names.
std::pair<std::map<std::string, std::string>, Workbench::Forms> reached(const Audience& who, Made made) {
  const OutFolder folder;
  QuietCaller answered;
  std::optional<CalledBy> called;
  if (who.called) called.emplace(answered);
  std::optional<Terminal> terminal;
  if (who.terminal)
    terminal.emplace();
  else
    testing::internal::CaptureStdout();
  StudyRequest request;
  request.threads = 1;
  request.quiet = true;
  request.json = who.json;
  if (who.directory) request.out = folder.path("out");
  const PointSource source("scenarios/tiny-8.toml", {"job.window=12h", "job.planned.times=[]"}, 3);
  const auto bench = Workbench::open("run", request, {&source, 1}, "gauntlet run tiny-8");
  const PointNumber point = bench->experiment().add(source.point().point);
  EXPECT_TRUE(bench->experiment().ensure(std::vector{point}, 1));
  const Workbench::Forms forms = bench->forms();
  const bool all = made == Made::every_form;
  Workbench::Output output{.report = "THE REPORT\n"};
  if (all || forms.coloured) output.coloured = "THE COLOURS\n";
  if (all || forms.json) output.json = "\"THE JSON\"\n";
  if (all || forms.page) output.page = Page{.name = "gauntlet run tiny-8", .answer = "THE PAGE"};
  EXPECT_EQ(bench->finish(output), 0);
  std::map<std::string, std::string> texts;
  texts["standard output"] = who.called     ? ""
                             : who.terminal ? terminal->text()
                                            : testing::internal::GetCapturedStdout();
  if (who.called && !who.terminal) testing::internal::GetCapturedStdout();
  texts["the caller"] = answered.report + answered.json;
  for (const char* file : {"report.txt", "result.json", "report.html"})
    texts[file] = content(folder.path("out/" + std::string(file)));
  return {texts, forms};
}

TEST(Workbench, NamesTheFormsThatReachSomebodyAndNoOther) {
  for (const auto& [who, expected] : kAudiences) {
    SCOPED_TRACE(name_of(who));
    const auto [texts, forms] = reached(who, Made::every_form);
    EXPECT_EQ(forms.coloured, expected.coloured);
    EXPECT_EQ(forms.json, expected.json);
    EXPECT_EQ(forms.page, expected.page);
    EXPECT_EQ(texts, reached(who, Made::forms_that_are_named).first);
    std::string all;
    for (const auto& [place, text] : texts) all += text;
    const auto has = [&](const char* what, bool is_named) {
      EXPECT_EQ(all.find(what) != std::string::npos, is_named) << what;
    };
    has("THE COLOURS", forms.coloured);
    has("THE JSON", forms.json);
    has("THE PAGE", forms.page);
  }
}

}  // namespace
}  // namespace gauntlet
