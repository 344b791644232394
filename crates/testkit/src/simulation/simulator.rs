// SPDX-License-Identifier: Apache-2.0
//! The event loop: clients issue tasks, the scheduler assigns them, workers process them.

use std::collections::VecDeque;

use arrayvec::ArrayVec;

use super::clients::Clients;
use super::faults::{Incident, Incidents};
use super::machine::{Chunk, Condition, Machine, Running};
use super::random::Random;
use super::report::Digest;
use super::{PRIORITIES, Report, Setup};
use stripeline_engine::schedule::{Assignment, BEGUN, COMMON, RAILS_MAX, RailSet, Scheduler};

/// The interval of the contention controller, the same as in the engine.
const TICK_NS: u64 = 5_000_000;
const MS: u64 = 1_000_000;

pub(super) struct Simulator<'a> {
    setup: &'a Setup,
    scheduler: Scheduler,
    random: Random,
    machine: Machine,
    clients: Clients<'a>,
    incidents: Incidents,
    /// For each rail, and for [`COMMON`], the assigned work that is not in progress, by priority.
    queues: Vec<[VecDeque<Chunk>; PRIORITIES]>,
    now_ns: u64,
    measured_bytes: u64,
    /// By priority.
    latencies_ns: [Vec<u64>; PRIORITIES],
    done_per_ms: Vec<u64>,
    digest: Digest,
}

impl<'a> Simulator<'a> {
    pub(super) fn new(setup: &'a Setup) -> Self {
        let traits: Vec<_> = setup.rails.iter().map(|rail| rail.traits.clone()).collect();
        let conditions = setup.rails.iter().map(|rail| Condition {
            rate_factor: 1.0,
            hangs: false,
            bottlenecks: rail.bottlenecks.clone(),
        });
        Self {
            setup,
            scheduler: Scheduler::new(setup.policy, &traits),
            random: Random::new(setup.seed),
            machine: Machine::new(conditions.collect(), &setup.bottlenecks),
            clients: Clients::new(&setup.clients),
            incidents: Incidents::new(&setup.faults),
            queues: vec![Default::default(); COMMON + 1],
            now_ns: 0,
            measured_bytes: 0,
            latencies_ns: Default::default(),
            done_per_ms: vec![0; (setup.end_ns / MS) as usize + 1],
            digest: Digest::new(),
        }
    }

    pub(super) fn run(mut self) -> Report {
        let mut tick_ns = 0;
        let mut rails = None;
        loop {
            while let Some((rail, incident)) = self.incidents.take_due(self.now_ns) {
                self.apply(rail, incident);
            }
            self.issue();
            self.start_workers();
            if self.now_ns >= tick_ns {
                self.scheduler.tick(self.now_ns, self.is_saturated());
                tick_ns = self.now_ns + TICK_NS;
                // Rails that are active again may steal.
                self.start_workers();
            }
            let over = self.now_ns >= self.setup.end_ns;
            if over && rails.is_none() {
                rails = Some(self.scheduler.snapshot());
            }
            if over && self.clients.outstanding() == 0 {
                break;
            }
            self.pass_time(tick_ns);
        }
        let span_ns = self.setup.end_ns - self.setup.measured_from_ns;
        Report {
            throughput: self.measured_bytes as f64 / span_ns as f64 * 1e9,
            latencies_ns: self.latencies_ns,
            tasks: self.clients.tasks.len(),
            done_per_ms: self.done_per_ms,
            rails: rails.expect("taken when the time was over"),
            digest: self.digest.value(),
        }
    }

    /// Advances to the next event.
    fn pass_time(&mut self, tick_ns: u64) {
        let mut until_ns = tick_ns;
        let change_ns = self.machine.next_change_ns().map(|ns| self.now_ns + ns);
        for next_ns in [change_ns, self.incidents.next_ns()].into_iter().flatten() {
            until_ns = until_ns.min(next_ns);
        }
        let ended = self.machine.advance(until_ns - self.now_ns);
        self.now_ns = until_ns;
        for running in ended {
            self.finish(running);
        }
    }

    fn issue(&mut self) {
        while self.now_ns < self.setup.end_ns {
            let Some(task) = self.clients.issue(self.now_ns, &mut self.random) else {
                return;
            };
            let range = 0..self.clients.tasks[task].bytes;
            self.assign(Chunk { task, range });
        }
    }

    fn assign(&mut self, mut chunk: Chunk) {
        let task = &self.clients.tasks[chunk.task];
        let mut assignments = ArrayVec::<Assignment, RAILS_MAX>::new();
        let all = RailSet::first(self.setup.rails.len());
        let workload = task.workload(chunk.bytes());
        self.scheduler
            .assign(self.now_ns, workload, all, &mut assignments)
            .expect("a rail stays in service");
        for assignment in &assignments {
            let rest = chunk.cut(assignment.bytes);
            let queue = &mut self.queues[assignment.rail][task.priority as usize];
            queue.push_back(std::mem::replace(&mut chunk, rest));
        }
        assert_eq!(chunk.bytes(), 0, "assignments sum to the task");
    }

    /// Starts a piece on every idle worker that can get one.
    fn start_workers(&mut self) {
        loop {
            let mut started = false;
            for rail in 0..self.setup.rails.len() {
                started |= self.start_worker(rail);
            }
            if !started {
                return;
            }
        }
    }

    fn start_worker(&mut self, rail: usize) -> bool {
        let workers = self.setup.rails[rail].traits.workers;
        let idle = workers - self.machine.busy(rail);
        if idle == 0 || !self.scheduler.in_service().contains(rail) {
            return false;
        }
        let Some(chunk) = self.next_piece(rail).or_else(|| self.common_task(rail)) else {
            return false;
        };
        self.start(rail, chunk);
        true
    }

    fn next_piece(&mut self, rail: usize) -> Option<Chunk> {
        let mut chunk = match self.pop(rail) {
            Some(chunk) => chunk,
            None => self.stolen(rail)?,
        };
        let task = &self.clients.tasks[chunk.task];
        let bytes = self.scheduler.piece(rail, task.workload(chunk.bytes()));
        if bytes < chunk.bytes() {
            let rest = chunk.cut(bytes);
            self.queues[rail][task.priority as usize].push_front(rest);
        }
        Some(chunk)
    }

    /// Removes the next chunk from a queue.
    fn pop(&mut self, rail: usize) -> Option<Chunk> {
        self.queues[rail].iter_mut().find_map(VecDeque::pop_front)
    }

    /// Takes work from the tail of the longest queue from which the scheduler permits stealing.
    fn stolen(&mut self, thief: usize) -> Option<Chunk> {
        let mut victims: Vec<_> = (0..self.setup.rails.len()).collect();
        victims.sort_by_key(|&rail| std::cmp::Reverse(self.scheduler.backlog_bytes(rail)));
        victims
            .into_iter()
            .find_map(|victim| self.stolen_from(thief, victim))
    }

    fn stolen_from(&mut self, thief: usize, victim: usize) -> Option<Chunk> {
        let mut queues = self.queues[victim].iter_mut();
        let queue = queues.find(|queue| !queue.is_empty())?;
        let chunk = queue.back_mut()?;
        let task = &self.clients.tasks[chunk.task];
        let remaining = chunk.bytes();
        let workload = task.workload(remaining);
        let taken = self.scheduler.steal(thief, victim, workload);
        if taken == 0 {
            return None;
        }
        let data_bytes = task.inputs * taken;
        let stolen = chunk.cut(remaining - taken);
        if taken == remaining {
            queue.pop_back();
        }
        self.scheduler
            .moved(victim, thief, task.priority, data_bytes);
        Some(stolen)
    }

    /// Takes a whole task from the common queue; its worker processes all of it.
    fn common_task(&mut self, rail: usize) -> Option<Chunk> {
        let chunk = self.pop(COMMON)?;
        let task = &self.clients.tasks[chunk.task];
        let data_bytes = task.inputs * chunk.bytes();
        self.scheduler
            .moved(COMMON, rail, task.priority, data_bytes);
        Some(chunk)
    }

    fn start(&mut self, rail: usize, chunk: Chunk) {
        let virtual_rail = &self.setup.rails[rail];
        let traits = &virtual_rail.traits;
        let task = &self.clients.tasks[chunk.task];
        let data_bytes = task.inputs * chunk.bytes();
        self.scheduler.begun(rail, task.priority, data_bytes);
        let jitter_factor = 1.0 + virtual_rail.jitter * (2.0 * self.random.unit() - 1.0);
        let calls = chunk.bytes().div_ceil(traits.piece_bytes);
        self.machine.running.push(Running {
            rail,
            chunk,
            data_bytes,
            started_ns: self.now_ns,
            latency_ns: virtual_rail.latency_ns as f64 * calls as f64 * jitter_factor,
            bytes: data_bytes as f64,
            rate: virtual_rail.rate * 1e-9 / traits.workers as f64 / jitter_factor,
        });
    }

    fn finish(&mut self, running: Running) {
        let Running {
            rail,
            chunk,
            data_bytes,
            started_ns,
            ..
        } = running;
        let words = [
            self.now_ns,
            rail as u64,
            chunk.task as u64,
            chunk.range.start as u64,
        ];
        words.into_iter().for_each(|word| self.digest.add(word));
        let task = &mut self.clients.tasks[chunk.task];
        let (class, busy_ns) = (task.class.sized(data_bytes), self.now_ns - started_ns);
        self.scheduler.finished(rail, class, data_bytes, busy_ns);
        let in_time = (self.setup.measured_from_ns..self.setup.end_ns).contains(&self.now_ns);
        if in_time {
            self.measured_bytes += data_bytes as u64;
        }
        if let Some(done) = self.done_per_ms.get_mut((self.now_ns / MS) as usize) {
            *done += data_bytes as u64;
        }
        if task.complete(chunk.range) {
            if in_time {
                self.latencies_ns[task.priority as usize].push(self.now_ns - task.issued_ns);
            }
            self.clients.free(chunk.task);
        }
    }

    /// Returns whether tasks wait for rails, rather than rails for tasks.
    fn is_saturated(&self) -> bool {
        let mut queues = self.queues.iter().flatten();
        let waiting = queues.any(|queue| !queue.is_empty());
        let rails = self.setup.rails.iter().enumerate();
        waiting
            || rails
                .filter(|&(rail, _)| self.scheduler.is_active(rail))
                .all(|(rail, virtual_rail)| self.machine.busy(rail) == virtual_rail.traits.workers)
    }

    fn apply(&mut self, rail: usize, incident: Incident) {
        let condition = &mut self.machine.conditions[rail];
        match incident {
            Incident::RateFactor(rate_factor) => condition.rate_factor = rate_factor,
            Incident::Hang => condition.hangs = true,
            Incident::Noticed => self.quarantine(rail),
            Incident::Return => {
                (condition.hangs, condition.rate_factor) = (false, 1.0);
                self.scheduler.set_in_service(rail, true);
            }
        }
    }

    /// Takes a rail out of service and assigns its work again.
    fn quarantine(&mut self, rail: usize) {
        self.scheduler.set_in_service(rail, false);
        let mut chunks = Vec::new();
        for running in self.machine.abandon(rail) {
            self.scheduler.dropped(rail, BEGUN, running.data_bytes);
            chunks.push(running.chunk);
        }
        for queue in &mut self.queues[rail] {
            for chunk in queue.drain(..) {
                let task = &self.clients.tasks[chunk.task];
                let data_bytes = task.inputs * chunk.bytes();
                self.scheduler.dropped(rail, task.priority, data_bytes);
                chunks.push(chunk);
            }
        }
        chunks.into_iter().for_each(|chunk| self.assign(chunk));
    }
}
