#include "models/calibration/published.hpp"

#include "models/calibration/calibration.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

namespace gauntlet {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

/// One line of the table, by column.
class Line {
 public:
  Line(const std::vector<std::string_view>& columns, std::string_view text, std::string file,
       std::uint32_t number, std::vector<Problem>& problems)
      : fields_(split(text, ',')), file_(std::move(file)), number_(number), problems_(&problems) {
    if (fields_.size() != columns.size()) {
      mistake("", "has " + std::to_string(fields_.size()) + " fields",
              "the first line names " + std::to_string(columns.size()));
      fields_.assign(columns.size(), {});
    }
    for (std::size_t i = 0; i < columns.size(); ++i) values_[columns[i]] = fields_[i];
  }

  std::string_view text(std::string_view column) {
    const auto found = values_.find(column);
    return found == values_.end() ? std::string_view{} : found->second;
  }

  std::string_view needed(std::string_view column) {
    if (text(column).empty()) mistake(column, "is missing", "every row needs one");
    return text(column);
  }

  /// `fallback` where the field is empty.
  std::uint32_t number(std::string_view column, std::uint32_t fallback) {
    const std::string_view field = text(column);
    if (field.empty()) return fallback;
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc{} || end != field.data() + field.size() || value > kMost)
      mistake(column, "is not a whole number up to " + std::to_string(kMost), "write for example 8");
    return value;
  }
  std::uint32_t positive(std::string_view column) {
    needed(column);
    return at_least_one(column, number(column, 1));
  }
  std::uint32_t at_least_one(std::string_view column, std::uint32_t value) {
    if (value == 0) mistake(column, "is zero", "write at least 1");
    return std::max(1u, value);
  }

  double quantity(std::string_view column) {
    const std::string_view field = needed(column);
    double value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (!field.empty() &&
        (error != std::errc{} || end != field.data() + field.size() || !(value > 0) || value > 1e9))
      mistake(column, "is not a number above zero", "write for example 6.34");
    return value;
  }

  template <class T>
  T choice(std::string_view column, std::initializer_list<std::pair<std::string_view, T>> choices) {
    std::string names;
    for (const auto& [name, value] : choices) {
      if (text(column) == name) return value;
      if (!name.empty()) names += (names.empty() ? "" : ", ") + std::string(name);
    }
    mistake(column, "is none of " + names, "write one of them");
    return choices.begin()->second;
  }

  void mistake(std::string_view column, std::string why, std::string suggestion) {
    if (bad_) return;  // one message for one line: the first says enough
    bad_ = true;
    std::string what = column.empty() ? "the line" : std::string(column);
    if (!column.empty() && !text(column).empty()) what += " = \"" + std::string(text(column)) + "\"";
    problems_->push_back({.file = file_,
                          .line = number_,
                          .column = 1,
                          .what = std::move(what),
                          .why = std::move(why),
                          .suggestion = std::move(suggestion)});
  }
  bool good() const { return !bad_; }

 private:
  static constexpr std::uint32_t kMost = 1'000'000'000;
  std::vector<std::string_view> fields_;
  std::map<std::string_view, std::string_view> values_;
  std::string file_;
  std::uint32_t number_;
  std::vector<Problem>* problems_;
  bool bad_ = false;
};

Transformer model_of(Line& line) {
  Transformer model;
  model.layers = line.positive("layers");
  model.hidden = line.positive("hidden");
  model.heads = line.positive("heads");
  model.kv_heads = line.positive("kv_heads");
  model.head_dim = line.number("head_dim", 0);
  model.ffn_hidden = line.positive("ffn_hidden");
  model.gated_mlp = line.choice<bool>("gated", {{"", false}, {"yes", true}});
  model.tied_embeddings = line.choice<bool>("tied", {{"", false}, {"yes", true}});
  model.vocabulary = line.positive("vocabulary");
  model.sequence = line.positive("sequence");
  model.experts = line.number("experts", 0);
  model.experts_per_token = line.number("experts_per_token", 0);
  model.shared_experts = line.number("shared_experts", 0);
  model.expert_ffn_hidden = line.number("expert_ffn_hidden", 0);
  model.dense_layers = line.number("dense_layers", 0);
  if (model.dense_layers > model.layers)
    line.mistake("dense_layers", "are more than all layers", "write at most " + std::to_string(model.layers));
  model.name = line.text("id");
  model.parameters = count_parameters(model).total;
  return model;
}

/// "bf16 selective sequence_parallel": precision, recomputation, and what is switched on.
Training training_of(Line& line) {
  Training out{.sequence_parallel = false, .distributed_optimizer = false, .flash_attention = false};
  for (const std::string_view word : split(line.needed("training"), ' ')) {
    if (word == "fp16")
      out.precision = Precision::fp16;
    else if (word == "bf16")
      out.precision = Precision::bf16;
    else if (word == "fp8")
      out.precision = Precision::fp8;
    else if (word == "none")
      out.recompute = Recompute::none;
    else if (word == "selective")
      out.recompute = Recompute::selective;
    else if (word == "full")
      out.recompute = Recompute::full;
    else if (word == "sequence_parallel")
      out.sequence_parallel = true;
    else if (word == "distributed_optimizer")
      out.distributed_optimizer = true;
    else if (word == "flash_attention")
      out.flash_attention = true;
    else if (word == "overlap_tensor")
      out.overlap_tensor = true;
    else
      line.mistake("training",
                   "has a word that is none of fp16, bf16, fp8, none, selective, full, "
                   "sequence_parallel, distributed_optimizer, flash_attention, overlap_tensor",
                   "write for example bf16 selective sequence_parallel");
  }
  return out;
}

Layout layout_of(Line& line) {
  const Layout out{.tp = line.positive("tp"),
                   .pp = line.positive("pp"),
                   .dp = line.positive("dp"),
                   .virtual_stages = line.number("virtual_stages", 0),
                   .cp = line.at_least_one("cp", line.number("cp", 1)),
                   .ep = line.at_least_one("ep", line.number("ep", 1))};
  constexpr double kMostRanks = 1e8;
  const double ranks = static_cast<double>(out.tp) * out.pp * out.dp * out.cp;
  if (ranks > kMostRanks) line.mistake("dp", "makes more than 1e8 GPUs of tp, pp, dp and cp", "write fewer");
  return out;
}

PublishedStep step_of(Line& line) {
  PublishedStep row;
  row.id = line.needed("id");
  row.address = line.needed("address");
  row.stack = line.needed("stack");
  if (find_calibration(row.stack) == nullptr)
    line.mistake("stack", "is not a software stack that was fitted",
                 "gauntlet schema names those under job.calibration");
  row.use = line.choice<RowUse>(
      "use", {{"held out", RowUse::held_out}, {"fitted", RowUse::fitted}, {"left out", RowUse::left_out}});
  row.bound = line.choice<std::string>("bound", {{"", ""},
                                                 {"korthikanti", "korthikanti"},
                                                 {"sc21", "sc21"},
                                                 {"mlperf", "mlperf"},
                                                 {"vtrain", "vtrain"},
                                                 {"bloom", "bloom"},
                                                 {"megascale", "megascale"}});
  row.family = line.text("family");
  row.hardware = line.needed("hardware");
  row.nics_per_host = line.number("nics", 0);
  row.nic = {line.number("nic_gbps", 0) * 1e9 / 8};
  row.model = model_of(line);
  row.training = training_of(line);
  row.layout = layout_of(line);
  row.global_batch = line.positive("global_batch");
  row.micro_batch = line.number("micro_batch", 0);
  row.value = line.quantity("value");
  row.unit = line.choice<FigureUnit>(
      "unit", {{"s", FigureUnit::seconds}, {"TFLOP/s", FigureUnit::tflops}, {"MFU%", FigureUnit::mfu}});
  row.count = line.choice<FlopCount>("count", {{"whole", FlopCount::whole},
                                               {"", FlopCount::whole},
                                               {"causal", FlopCount::causal},
                                               {"hardware", FlopCount::hardware}});
  row.caution = line.text("caution");
  return row;
}

}  // namespace

PublishedTable parse_published(std::string_view csv, const std::string& file) {
  PublishedTable table;
  std::optional<std::vector<std::string_view>> columns;
  std::uint32_t number = 0;
  for (std::string_view text : split(csv, '\n')) {
    ++number;
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (text.empty() || text.starts_with('#')) continue;
    if (!columns) {
      columns = split(text, ',');
      continue;
    }
    Line line(*columns, text, file, number, table.problems);
    PublishedStep row = step_of(line);
    const bool again = std::ranges::find(table.rows, row.id, &PublishedStep::id) != table.rows.end();
    if (again) line.mistake("id", "names two rows", "give this one another");
    if (line.good()) table.rows.push_back(std::move(row));
  }
  if (table.rows.empty() && table.problems.empty())
    table.problems.push_back(
        {.file = file, .why = "has no rows", .suggestion = "a line names the columns, then a row a line"});
  return table;
}

}  // namespace gauntlet
