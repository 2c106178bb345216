#include "core/files/append_file.hpp"

#include "core/files/durable.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace gauntlet {
namespace {

constexpr int kAppend = O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK;  // a FIFO keeps nobody waiting

std::string cannot_be_written(int error) {
  return "cannot be written: " + std::generic_category().message(error);
}

}  // namespace

AppendFile::AppendFile(const std::string& path, Files& files, mode_t mode)
    : files_(files), path_(path), file_(files, path, kAppend | O_CREAT | O_EXCL, mode) {
  if (const int error = file_.error()) fail(error == EEXIST ? "exists" : cannot_be_written(error));
}

AppendFile::AppendFile(const std::string& path, std::uint64_t whole_bytes, Files& files)
    : files_(files), path_(path), file_(files, path, kAppend) {
  const std::uint64_t size = check_opened();
  if (size < whole_bytes) fail("was cut since it was read");
  if (size > whole_bytes) check(file_.truncate(whole_bytes));
}

AppendFile::AppendFile(const std::string& path, AtItsEnd, Files& files)
    : files_(files), path_(path), file_(files, path, kAppend | O_CREAT) {
  check_opened();
}

std::uint64_t AppendFile::check_opened() {
  if (const int error = file_.error())
    fail(error == ELOOP ? "is a symbolic link, which is not followed" : cannot_be_written(error));
  struct stat found {};
  if (::fstat(file_.descriptor(), &found) != 0) fail(cannot_be_written(errno));
  if (!S_ISREG(found.st_mode) || found.st_uid != ::geteuid()) fail("is not a regular file of this user");
  return static_cast<std::uint64_t>(found.st_size);
}

void AppendFile::append(std::string_view bytes) {
  check(failed_);
  check(file_.write(bytes));
}

void AppendFile::sync() {
  check(failed_);
  check(file_.sync());
  if (name_is_safe_) return;
  check(sync_name(files_, path_));
  name_is_safe_ = true;
}

void AppendFile::check(int error) {
  if (error == 0) return;
  failed_ = error;
  fail(cannot_be_written(error));
}

void AppendFile::fail(const std::string& why) const { throw std::runtime_error(path_ + ": " + why); }

}  // namespace gauntlet
