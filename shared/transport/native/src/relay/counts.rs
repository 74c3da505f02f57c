//! What has gone through a direction, and what has not.

#[derive(Clone, Copy, Default)]
pub struct Tally {
    pub packets: u64,
    /// With the headers of link, IP and UDP.
    pub bytes: u64,
    /// What programs sent, without them.
    pub payload: u64,
}

impl Tally {
    pub fn add(&mut self, size: Size) {
        self.packets += 1;
        self.bytes += size.counted;
        self.payload += size.payload;
    }

    pub fn remove(&mut self, size: Size) {
        self.packets -= 1;
        self.bytes -= size.counted;
        self.payload -= size.payload;
    }
}

#[derive(Clone, Copy)]
pub struct Size {
    pub payload: u64,
    pub counted: u64,
}

/// Why a packet did not arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// The queue was full.
    Queue,
    Loss,
    Outage,
    /// This machine did not take it, or its client is gone.
    Unsent,
}

/// At any time: offered = arrived + waiting + flying + what was dropped.
#[derive(Default)]
pub struct Counts {
    pub offered: Tally,
    pub arrived: Tally,
    pub queue: Tally,
    pub loss: Tally,
    pub outage: Tally,
    pub unsent: Tally,
    /// In the queue before the line.
    pub waiting: Tally,
    /// Has left the line, and is on its way.
    pub flying: Tally,
}

impl Counts {
    pub fn dropped(&mut self, why: Dropped, size: Size) {
        let tally = match why {
            Dropped::Queue => &mut self.queue,
            Dropped::Loss => &mut self.loss,
            Dropped::Outage => &mut self.outage,
            Dropped::Unsent => &mut self.unsent,
        };
        tally.add(size);
    }

    /// As JavaScript gets them: packets, bytes and payload of each, in the order above.
    pub fn numbers(&self) -> Vec<f64> {
        let Counts { offered, arrived, queue, loss, outage, unsent, waiting, flying } = self;
        [offered, arrived, queue, loss, outage, unsent, waiting, flying]
            .into_iter()
            .flat_map(|tally| [tally.packets as f64, tally.bytes as f64, tally.payload as f64])
            .collect()
    }
}
