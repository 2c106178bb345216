#include "real/probes/ucx/ucx_path.hpp"

#include "core/time.hpp"
#include "real/system/clock.hpp"

#include <ucp/api/ucp.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace gauntlet::ucx {

struct Release {
  void operator()(ucp_config_t* config) const { ucp_config_release(config); }
  void operator()(ucp_context* context) const { ucp_cleanup(context); }
  void operator()(ucp_worker* worker) const { ucp_worker_destroy(worker); }
};
using Config = std::unique_ptr<ucp_config_t, Release>;
using Context = std::unique_ptr<ucp_context, Release>;

namespace {

constexpr ucp_tag_t kWholeTag = ~ucp_tag_t{0};
constexpr Duration kTakenBackWithin = std::chrono::seconds(1);
// Reliable connections carry the data, and datagrams set them up (https://openucx.readthedocs.io/en/master/faq.html).
constexpr const char* kRdma = "rc,ud";
constexpr const char* kTcp = "tcp";

void check(ucs_status_t status, const char* what) {
  if (status != UCS_OK) throw std::runtime_error(std::string(what) + ": " + ucs_status_string(status));
}

Config read_config() {
  ucp_config_t* config = nullptr;
  check(ucp_config_read(nullptr, nullptr, &config), "ucp_config_read");
  return Config(config);
}

Context make_context(const Config& config) {
  ucp_params_t parameters{};
  parameters.field_mask = UCP_PARAM_FIELD_FEATURES;
  parameters.features = UCP_FEATURE_TAG;
  ucp_context_h context = nullptr;
  check(ucp_init(&parameters, config.get(), &context), "ucp_init");
  return Context(context);
}

}  // namespace

struct UcxCard::Handles {
  Context context;
  std::unique_ptr<ucp_worker, Release> worker;
};

UcxCard::UcxCard(const NetworkCard& card) : handles_(std::make_unique<Handles>()) {
  const Config config = read_config();
  check(ucp_config_modify(config.get(), "TLS", card.rdma ? kRdma : kTcp), "UCX_TLS");
  check(ucp_config_modify(config.get(), "NET_DEVICES", card.name.c_str()), "UCX_NET_DEVICES");
  handles_->context = make_context(config);
  ucp_worker_params_t how{};
  how.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  how.thread_mode = UCS_THREAD_MODE_SINGLE;
  ucp_worker_h worker = nullptr;
  check(ucp_worker_create(handles_->context.get(), &how, &worker), "ucp_worker_create");
  handles_->worker.reset(worker);
}
UcxCard::~UcxCard() = default;

struct UcxPath::Endpoint {
  ucp_worker_h from, to;
  ucp_ep_h endpoint = nullptr;

  Endpoint(ucp_worker_h sender, ucp_worker_h receiver) : from(sender), to(receiver) {
    ucp_address_t* address = nullptr;
    std::size_t length = 0;
    check(ucp_worker_get_address(to, &address, &length), "ucp_worker_get_address");
    ucp_ep_params_t parameters{};
    parameters.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE;
    parameters.address = address;
    parameters.err_mode = UCP_ERR_HANDLING_MODE_PEER;  // a path that breaks ends its sends
    const ucs_status_t status = ucp_ep_create(from, &parameters, &endpoint);
    ucp_worker_release_address(to, address);
    check(status, "ucp_ep_create");
  }
  ~Endpoint() { close(); }
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  void progress() const {
    ucp_worker_progress(from);
    ucp_worker_progress(to);
  }
  /// Ends what is being sent.
  void close() {
    if (endpoint == nullptr) return;
    ucp_request_param_t at_once{};
    at_once.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    at_once.flags = UCP_EP_CLOSE_FLAG_FORCE;
    void* const closing = ucp_ep_close_nbx(std::exchange(endpoint, nullptr), &at_once);
    if (closing == nullptr || UCS_PTR_IS_ERR(closing)) return;
    const std::int64_t began = monotonic_ns();
    while (ucp_request_check_status(closing) == UCS_INPROGRESS &&
           Duration(monotonic_ns() - began) < kTakenBackWithin)
      progress();
    ucp_request_free(closing);
  }
};

namespace {

/// What UCX returns for a send or a receive: nothing where it is over at once, an error, or a request.
ucs_status_t status_of(void* request) {
  if (request == nullptr) return UCS_OK;
  return UCS_PTR_IS_ERR(request) ? UCS_PTR_STATUS(request) : ucp_request_check_status(request);
}

void free_request(void* request) {
  if (request != nullptr && !UCS_PTR_IS_ERR(request)) ucp_request_free(request);
}

}  // namespace

UcxPath::UcxPath(UcxCard& from, UcxCard& to)
    : from_(*from.handles_),
      to_(*to.handles_),
      endpoint_(std::make_unique<Endpoint>(from_.worker.get(), to_.worker.get())) {}
UcxPath::~UcxPath() = default;

double UcxPath::transfer(std::span<const char> from, std::span<char> to, Duration within) {
  static ucp_tag_t tag = 0;  // of its own for each: what comes late is not taken for another's
  ++tag;
  const std::int64_t began = monotonic_ns();
  const auto took = [&] { return Duration(monotonic_ns() - began); };
  const ucp_request_param_t plain{};
  void* const receive = ucp_tag_recv_nbx(to_.worker.get(), to.data(), to.size(), tag, kWholeTag, &plain);
  void* const send = ucp_tag_send_nbx(endpoint_->endpoint, from.data(), from.size(), tag, &plain);
  const auto going_on = [&] {
    return status_of(receive) == UCS_INPROGRESS || status_of(send) == UCS_INPROGRESS;
  };
  const auto failed = [](ucs_status_t status) { return status != UCS_OK && status != UCS_INPROGRESS; };
  while (going_on() && !failed(status_of(receive)) && !failed(status_of(send)) && took() < within)
    endpoint_->progress();
  const Duration time = took();
  const ucs_status_t why = failed(status_of(send)) ? status_of(send) : status_of(receive);
  if (going_on()) {
    // Only a receive that waits can be cancelled; the end of the endpoint ends a send.
    if (status_of(receive) == UCS_INPROGRESS) ucp_request_cancel(to_.worker.get(), receive);
    endpoint_->close();
    const Duration limit = took() + kTakenBackWithin;
    while (going_on() && took() < limit) endpoint_->progress();
    if (going_on()) throw StuckTransfer("a transfer neither ends nor is taken back");
    free_request(receive);
    free_request(send);
    throw std::runtime_error(failed(why) ? std::string("the transfer fails: ") + ucs_status_string(why)
                                         : "the transfer does not end");
  }
  free_request(receive);
  free_request(send);
  check(why, "the transfer fails");
  return to_seconds(time);
}

std::string memory_reached() {
  const Context context = make_context(read_config());
  ucp_context_attr_t attributes{};
  attributes.field_mask = UCP_ATTR_FIELD_MEMORY_TYPES;
  check(ucp_context_query(context.get(), &attributes), "ucp_context_query");
  const bool cuda = (attributes.memory_types & (std::uint64_t{1} << UCS_MEMORY_TYPE_CUDA)) != 0;
  return cuda ? "the host and CUDA" : "the host";
}

std::string ucx_version() { return ucp_get_version_string(); }

}  // namespace gauntlet::ucx
