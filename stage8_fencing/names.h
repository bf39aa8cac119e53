// The names of earlier stages that this one still uses.
#pragma once

#include "stage7_redlock/names.h"
#include "stage7_redlock/operating.h"
#include "stage7_redlock/quorum.h"
#include "stage7_redlock/quorum_hold.h"
#include "stage7_redlock/votes.h"

namespace stage8 {

using stage6::Holder;
using stage7::Clock;
using stage7::connections_of;
using stage7::Entry;
using stage7::Hold;
using stage7::host_and_process;
using stage7::NotifiedLock;
using stage7::Options;
using stage7::participant;
using stage7::Quorum;
using stage7::quorum_hold;
using stage7::QuorumConnections;
using stage7::Renewal;
using stage7::Tally;
using stage7::Vote;
using stage7::Votes;

}  // namespace stage8
