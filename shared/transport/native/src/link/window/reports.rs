//! When the other side is told of the way to here, and what came.

/// The other side is told so often where it sends too; and where it does not, so that it knows the shortest way by the time it does. Microseconds.
const EVERY: f64 = 100_000.0;
const SELDOM: f64 = 1_000_000.0;
/// And so often where no contents go there: the shortest way is that of a line without a queue, and what comes first with contents has one before it.
const AT_REST: f64 = 10_000_000.0;
/// The other side sends bulk where so many packets came within `SELDOM`.
const COMES_IN: f64 = 8.0;
/// Contents that leave at a pace which keeps a queue hide the shortest way. So they rest for a moment so often, and a report leaves alone.
const EMPTIED_EVERY: f64 = 20_000_000.0;

#[derive(Default)]
pub struct Reports {
    last: Option<f64>,
    /// The start of a span in which what comes in is counted, how much had come by then, and whether the one before had bulk.
    span: (f64, f64),
    comes_in: bool,
    /// Bytes of streams that have come; and of those told of so far: as of streams, and as on the wire.
    newest: f64,
    counted: f64,
    wire: f64,
    /// One goes along with the next packet of contents, if that leaves by then.
    along_by: Option<f64>,
    /// When contents rested last; and until when none leaves, for what was sent before is still on its way.
    emptied: f64,
    not_before: f64,
    /// The next one is not to go along.
    alone: bool,
}

impl Reports {
    /// So much has come (`received`: of streams), in packets that hold `payload`. `bulk`: contents are on their way there. True: it is time.
    pub fn is_due(&mut self, now: f64, received: f64, payload: f64, bulk: bool) -> bool {
        self.newest = received;
        // At once: a second of round trips with the other side's queue in them would leave most of the line empty.
        let came = received - self.span.1 > COMES_IN * payload;
        self.comes_in |= came;
        if now - self.span.0 >= SELDOM {
            self.comes_in = came;
            self.span = (now, received);
        }
        let every = match (bulk, self.comes_in) {
            (false, _) => AT_REST,
            (true, true) => EVERY,
            (true, false) => SELDOM,
        };
        now >= self.not_before && self.last.is_none_or(|last| now - last >= every)
    }

    /// It waits for the next packet of contents, which leaves within a time that is given; false: it has waited that long.
    pub fn wait(&mut self, now: f64, within: f64) -> bool {
        !self.alone && *self.along_by.get_or_insert(now + within) > now
    }

    pub fn goes_along(&self) -> bool {
        self.along_by.is_some()
    }

    /// Contents may rest before the next one.
    pub fn may_empty(&self, now: f64) -> bool {
        self.comes_in && now - self.emptied > EMPTIED_EVERY
    }

    /// The line is empty by then.
    pub fn empty(&mut self, now: f64, by: f64) {
        self.emptied = now;
        self.not_before = by;
        self.alone = true;
    }

    /// One is sent: what it tells of, as on the wire. `ratio`: of bytes on the wire to those of streams. Packets are of other sizes now and then: what
    /// was told once stays so, or what came since would be more or less than it was.
    pub fn sent(&mut self, now: f64, ratio: f64) -> f64 {
        self.last = Some(now);
        self.along_by = None;
        self.alone = false;
        self.wire += (self.newest - self.counted).max(0.0) * ratio;
        self.counted = self.newest;
        self.wire
    }
}
