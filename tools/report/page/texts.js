// The words of the play (play.js), by keys.

const texts = {
  'goal': 'You are the network, the scheduler and the clock. Clients A and B each take the lock ' +
      'of {lock}, work, and release it. Choose what happens next, and break the lock in as few ' +
      'steps as you can. You have one fault to spend: {about}.',
  'goal.twice': 'You are the network, the scheduler and the clock. Clients A and B each take the ' +
      'lock of {lock}, work, and release it. Choose what happens next, and break the lock in as ' +
      'few steps as you can. You have two faults to spend, both of this kind: {about}.',
  'goal.judged': ' Here only {judged} counts.',
  'stage': 'stage {stage}',
  'levels.stages': 'The lock',
  'levels.faults': 'Your fault',
  'property.mutual exclusion': 'mutual exclusion (two clients must not work at the same time)',
  'property.owner-only release': 'owner-only release (no client may remove the lock of another)',
  'property.liveness': 'liveness (a lock whose holder is gone must become free)',
  'property.rising tokens': 'rising tokens (each holder must get a higher token)',
  'bounds': 'A search has run all {orders} orders of this level, on {servers}.',
  'bounds.switches': 'A search has run all {orders} orders of this level, on {servers}, in which ' +
      'a client that could continue is left at most once.',
  'servers.one': 'one server',
  'servers.many': '{count} servers',
  'cannot': 'This level cannot be won: all {orders} orders hold.',
  'cannot.others': 'What breaks {lock}: ',
  'cannot.none': 'No fault of these breaks {lock}.',
  'fault.unspent': 'The fault is not spent.',
  'fault.spent': 'The fault is spent, in step {step}.',
  'faults.unspent': 'Neither of the two faults is spent.',
  'faults.spent': '{count} of the two faults spent, in step {step}.',
  'ways': 'From here {holds} ways hold, and {breaks} break the lock.',
  'ways.hold': 'From here all {holds} ways hold: go back.',
  'ways.break': 'From here every way breaks the lock.',
  'won': 'Broken in {steps} steps, and fewer are impossible.',
  'won.longer': 'Broken. {least} is the shortest; you took {steps}.',
  'held': 'The run is over, and the lock has held. Go back, and try another way.',
  'return.all': 'Nothing could save it: every order breaks it.',
  'return.instead': 'After step {step} ({label}) nothing could save it; in its place {others} ' +
      'could.',
  'return.alone': 'After step {step} ({label}) nothing could save it; without that step some ' +
      'way holds.',
  'return.limited': 'Within the bounds of this level: {text}',
  'or': ', or ',
  'step': '#',
  'ways.on': 'ways on',
  'servers': 'servers',
  'column.ways': '{holds} ways hold, {breaks} break',
  'legend': 'A bar before a step: the client believes that it holds the lock; red: the servers ' +
      'do not say so. ✓ and ✗: so many ways on hold, or break the lock. A red line: after that step ' +
      'nothing could save it.',
  'hint': 'Hint: which choices still break it?',
  'hint.breaks': '{breaks} of {ways} ways break it',
  'hint.next': ', the shortest among them',
  'link': 'A link to these steps',
  'link.wrong': 'Step {step} of the link, “{label}”, cannot happen here.',
  'link.unreadable': 'The link cannot be read.',
  'link.no-level': 'There is no level {level}.',
  'replay': 'The same with real clients and servers, in a directory of this lab:',
  'gone': 'ends',
  'no.lock': 'free',
  'fault.twice': '{kind}, twice',
  'fault.kill': 'death',
  'fault.kill.about': 'a client dies',
  'fault.lose': 'lost answer',
  'fault.lose.about': 'a command is carried out, and its answer is lost',
  'fault.slow': 'slow message',
  'fault.slow.about': 'a message to the storage takes longer than a lease',
  'fault.cut': 'cut link',
  'fault.cut.about': 'a client is cut off from the servers, until the link is back',
  'fault.freeze-release': 'freeze in release',
  'fault.freeze-release.about': 'a client stands still while it releases, and continues later',
  'fault.freeze-work': 'freeze in work',
  'fault.freeze-work.about': 'a client stands still while it works, and continues later',
  'fault.failover': 'fail-over',
  'fault.failover.about': 'a replica takes the place of a server, and lacks its last change',
  'fault.amnesia': 'amnesia',
  'fault.amnesia.about': 'a server dies, and comes back empty',
  'fault.clock': 'clock jump',
  'fault.clock.about': 'the clock of a server jumps ahead, by two leases',
};

// The text of a key in the reader's language, with each {name} filled in.
function textOf(key, parts = {}) {
  const english = texts[key] === undefined ? key : texts[key];
  const text = (data.texts && data.texts[english]) || english;
  return text.replace(/\{(\w+)\}/g, (_, name) => parts[name]);
}
