// Whether a store is as it was written.
#pragma once

#include "study/store/store_private.hpp"

#include <deque>

namespace gauntlet {

/// Reads the whole store. Throws sqlite::Error with what does not match its digest; sets the chains of `points`.
void check_digests(sqlite3* database, std::deque<Store::Connection::Entry>& points);

}  // namespace gauntlet
