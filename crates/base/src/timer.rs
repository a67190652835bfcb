//! Processor time of the thread that works.
//!
//! What engines and the checker report about their time does not depend on who else uses the machine, nor on how long they waited for their turn.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// Runs from its start on, as long as the thread that started it does.
#[derive(Debug, Clone, Copy)]
pub struct Timer(Duration);

impl Timer {
    pub fn start() -> Timer {
        Timer(thread_time())
    }

    /// Processor time since the start, asked by the same thread.
    pub fn elapsed(self) -> Duration {
        thread_time().saturating_sub(self.0)
    }
}

fn thread_time() -> Duration {
    let cpu = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(cpu.tv_sec.unsigned_abs(), cpu.tv_nsec.unsigned_abs() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_sleeps_takes_no_time() {
        let timer = Timer::start();
        std::thread::sleep(Duration::from_millis(50));
        let slept = timer.elapsed();
        let mut sum = 0u64;
        while timer.elapsed() < Duration::from_millis(60) {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        assert!(slept < Duration::from_millis(50), "{slept:?}");
    }
}
