#include "study/store/directory/not_as_written.hpp"

#include <utility>

namespace gauntlet {

void found(const std::filesystem::path& file, std::string why, std::uint32_t line) {
  throw Found{{.file = file.string(),
               .line = line,
               .column = line > 0 ? 1u : 0u,
               .why = std::move(why),
               .suggestion = kNotAsWritten}};
}

}  // namespace gauntlet
