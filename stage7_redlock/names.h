// The names of earlier stages that this one still uses.
#pragma once

#include "stage5_watchdog/hold.h"
#include "stage5_watchdog/renewal.h"
#include "stage6_reentrant/holder.h"
#include "stage6_reentrant/identity.h"
#include "stage6_reentrant/waiting/notified_lock.h"

namespace stage7 {

using stage5::Ask;
using stage5::Clock;
using stage5::OnOutcome;
using stage5::Options;
using stage5::Renewal;
using stage5::Renewed;
using stage6::Entry;
using stage6::Hold;
using stage6::Holder;
using stage6::holder_from;
using stage6::host_and_process;
using stage6::NotifiedLock;
using stage6::participant;

}  // namespace stage7
