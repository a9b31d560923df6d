//! Reads what this machine is.

use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::model::Machine;

/// The wall clock in UTC, as RFC 3339.
pub fn now() -> String {
    OffsetDateTime::now_utc().format(&Rfc3339).expect("a year of four digits")
}

impl Machine {
    /// Reads this machine.
    pub fn read() -> Self {
        let kinds = RefreshKind::nothing()
            .with_cpu(CpuRefreshKind::nothing())
            .with_memory(MemoryRefreshKind::nothing().with_ram());
        let system = System::new_with_specifics(kinds);
        let unknown = || "unknown".to_owned();
        Self {
            cpu: system
                .cpus()
                .first()
                .map(|cpu| cpu.brand().trim().to_owned())
                .filter(|brand| !brand.is_empty())
                .unwrap_or_else(unknown),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_mb: system.total_memory() / (1 << 20),
            os: System::long_os_version().unwrap_or_else(unknown),
            kernel: System::kernel_version().unwrap_or_else(unknown),
            load1: System::load_average().one,
        }
    }
}
