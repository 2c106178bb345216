#include "real/watchdog/undo_journal.hpp"

#include "real/agent/process_name.hpp"

#include <istream>
#include <sstream>

namespace gauntlet {
namespace {

// "began NUMBER KIND BOOT TARGET" and "undone NUMBER".
constexpr const char* kBegan = "began";
constexpr const char* kUndone = "undone";

}  // namespace

UndoJournal::UndoJournal(const std::string& path, Files& files) : boot_(boot_id()), file_(path, files) {
  for (const std::string& line : file_.found()) {
    std::istringstream in(line);
    std::string what, boot;
    std::uint64_t injection = 0;
    unsigned kind = 0;
    if (!(in >> what >> injection)) continue;
    if (what == kUndone) open_.erase(injection);
    if (what != kBegan || !(in >> kind >> boot >> std::ws) || boot != boot_) continue;
    UndoEntry entry{.kind = static_cast<InjectionKind>(kind), .target = {}};
    std::getline(in, entry.target);
    open_[injection] = entry;
  }
}

void UndoJournal::begin(std::uint64_t injection, const UndoEntry& entry) {
  file_.append(kBegan + (" " + std::to_string(injection)) + " " +
               std::to_string(static_cast<unsigned>(entry.kind)) + " " + boot_ + " " + entry.target);
  file_.sync();
  open_[injection] = entry;
}

void UndoJournal::end(std::uint64_t injection) {
  file_.append(kUndone + (" " + std::to_string(injection)));
  file_.sync();
  open_.erase(injection);
}

std::vector<std::uint64_t> undo_all(const std::string& path, const HostInjectors& injectors,
                                    std::string& why) {
  UndoJournal journal(path);
  std::vector<std::uint64_t> undone;
  const std::map<std::uint64_t, UndoEntry> open = journal.open();
  for (const auto& [injection, entry] : open) {
    const auto injector = injectors.find(entry.kind);
    const std::string failed =
        injector == injectors.end() ? "it is of an unknown kind" : injector->second.undo(entry.target);
    if (!failed.empty()) {
      why = failed;
      continue;
    }
    journal.end(injection);
    undone.push_back(injection);
  }
  return undone;
}

}  // namespace gauntlet
