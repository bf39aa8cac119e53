/* The fencing tokens of stage 8 on a quorum, for Spin (https://spinroot.com).
 *
 * A hold asks all nodes, takes the highest number among a majority of yes, raises the others to it
 * if they disagree, and has the lock when a majority has that number. Every command can be late at
 * every node, every answer can stay away, and a node can lose a hold at any moment: its lease was
 * over there, or its clock jumped. Time itself is not in the model: a renewal is that a node does not
 * lose the hold.
 *
 * Checked in every state: no two holds get the same token, and a token is greater than that of every
 * hold that was acquired before its own first command was sent.
 *
 * Bounds (-D): NODES, HOLDS, LOSSES, REPAIRS. RAISES_UNCONDITIONALLY and TAKES_PAST_FOR_STORED are
 * the wrong turns of the stage. */
#ifndef NODES
#define NODES 3
#endif
#ifndef HOLDS
#define HOLDS 2
#endif
#ifndef LOSSES
#define LOSSES 2
#endif
#ifndef REPAIRS
#define REPAIRS 1
#endif
#define MAJORITY (NODES / 2 + 1)
#define NOBODY 15

#ifdef RAISES_UNCONDITIONALLY
#define MAY_RAISE true
#else
#define MAY_RAISE (owner[n] == _pid)
#endif
#ifdef TAKES_PAST_FOR_STORED
#define PAST 1
#else
#define PAST 0
#endif

/* A node: whose the lock is there, and its counter. */
byte owner[NODES];
byte counter[NODES];

/* The last of a hold's commands that has come to a node; they come in this order, if they are sent. */
#define NOTHING 0
#define ACQUIRE 1
#define RAISE 2
#define RELEASE 3

byte begun;
byte losses;
byte repairs;
byte highest_acquired;
int taken;  /* bit t: a hold has got token t */

/* The two properties. */
inline must_be_new() {
  assert((taken & (1 << token)) == 0);  /* unique */
  assert(token > above);                /* in order */
  taken = taken | (1 << token);
  if
  :: token > highest_acquired -> highest_acquired = token
  :: else
  fi
}

/* Hears any of the answers to the command `what`: how many say yes, the highest number, and how many
 * have that one. */
inline hear(what) {
  yes = 0; top = 0; with_top = 0; n = 0;
  do
  :: n < NODES ->
     if
     :: at[n] == what && answer[n] > 0 ->
        yes++;
        if
        :: answer[n] > top -> top = answer[n]; with_top = 1
        :: answer[n] == top -> with_top++
        :: else
        fi
     :: true  /* it stays away, or says no */
     fi;
     answer[n] = 0;  /* no longer of use */
     n++
  :: else -> break
  od
}

/* What a hold has asked, at node n: acquire.lua, raise.lua, release.lua. */
inline come_to_node() {
  if
  :: at[n] == NOTHING ->  /* a new hold is counted, the first time that it is heard of */
     if
     :: owner[n] == NOBODY -> owner[n] = _pid; counter[n]++; answer[n] = (asks -> counter[n] : 0)
     :: else -> answer[n] = 0
     fi;
     at[n] = ACQUIRE
  :: raised && at[n] == ACQUIRE ->  /* where the hold still is, and the count is not past it */
     if
     :: !MAY_RAISE -> answer[n] = 0
     :: MAY_RAISE && counter[n] > token -> answer[n] = (holds || leaves -> 0 : PAST)
     :: MAY_RAISE && counter[n] <= token -> counter[n] = token; answer[n] = (holds || leaves -> 0 : 1)
     fi;
     at[n] = RAISE
  :: leaves && at[n] == (raised -> RAISE : ACQUIRE) ->  /* a roll-back brings no number */
     if
     :: owner[n] == _pid ->
        owner[n] = NOBODY;
        if
        :: has_had_it && counter[n] < token -> counter[n] = token
        :: else
        fi
     :: else
     fi;
     at[n] = RELEASE; answer[n] = 0
  fi
}

/* A hold, from its first command on. */
proctype hold() {
  byte at[NODES], answer[NODES];
  byte token, above, n, yes, top, with_top;
  bool asks = true, raised, holds, leaves, has_had_it;

  atomic { begun == _pid; begun++; above = highest_acquired };  /* one after the other begins */
  do
  :: atomic { at[0] < RELEASE -> n = 0; come_to_node(); n = 0 }
  :: atomic { at[1] < RELEASE -> n = 1; come_to_node(); n = 0 }
  :: atomic { at[2] < RELEASE -> n = 2; come_to_node(); n = 0 }
#if NODES > 3
  :: atomic { at[3] < RELEASE -> n = 3; come_to_node(); n = 0 }
  :: atomic { at[4] < RELEASE -> n = 4; come_to_node(); n = 0 }
#endif

  /* It decides on the answers that it has heard. */
  :: atomic { asks ->
       hear(ACQUIRE); asks = false; token = top;
       if
       :: yes < MAJORITY -> leaves = true; token = 0
       :: yes >= MAJORITY && with_top >= MAJORITY -> must_be_new(); holds = true; has_had_it = true
       :: yes >= MAJORITY && with_top < MAJORITY -> raised = true
       fi;
       yes = 0; top = 0; with_top = 0; n = 0 }
  :: atomic { raised && !holds && !leaves ->
       hear(RAISE);
       if
       :: yes >= MAJORITY -> must_be_new(); holds = true; has_had_it = true
       :: else -> leaves = true
       fi;
       yes = 0; top = 0; with_top = 0; n = 0 }

  /* It repairs a node that has lost it: also late, before its release comes there. */
  :: atomic { has_had_it && repairs < REPAIRS ->
       if
       :: at[0] != NOTHING && at[0] != RELEASE && owner[0] == NOBODY -> n = 0
       :: at[1] != NOTHING && at[1] != RELEASE && owner[1] == NOBODY -> n = 1
       :: at[2] != NOTHING && at[2] != RELEASE && owner[2] == NOBODY -> n = 2
       fi;
       owner[n] = _pid; repairs++;
       if
       :: counter[n] < token -> counter[n] = token
       :: else
       fi;
       n = 0 }

  :: atomic { holds -> holds = false; leaves = true }
  od
}

/* Nodes lose holds. */
proctype loss() {
  byte n;
  do
  :: atomic { losses < LOSSES ->
       if
       :: owner[0] != NOBODY -> owner[0] = NOBODY
       :: owner[1] != NOBODY -> owner[1] = NOBODY
       :: owner[2] != NOBODY -> owner[2] = NOBODY
#if NODES > 3
       :: owner[3] != NOBODY -> owner[3] = NOBODY
       :: owner[4] != NOBODY -> owner[4] = NOBODY
#endif
       fi;
       losses++ }
  od
}

init {
  byte n;
  atomic {
    do
    :: n < NODES ->
       owner[n] = NOBODY;
       if
       :: n == 0 || counter[n - 1] == 0 -> counter[n] = 0  /* earlier holds have left them apart; */
       :: counter[n] = 1                                   /* which nodes they were is the same */
       fi;
       n++
    :: else -> break
    od;
    n = 0; begun = 1;
    do
    :: n < HOLDS -> run hold(); n++
    :: else -> break
    od;
    run loss(); n = 0
  }
}
