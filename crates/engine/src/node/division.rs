// SPDX-License-Identifier: Apache-2.0
//! Divides the CPUs among processes. Every process computes the division from the same claims in
//! the same order and gets the same result.

use super::slot::Claim;

/// A claim on CPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Share {
    weight: u64,
    /// The most CPUs that it can use.
    limit: usize,
    given: usize,
}

impl Share {
    fn new((claim, limit): (&Claim, usize)) -> Self {
        Self {
            weight: u64::from(claim.weight),
            limit,
            given: 1,
        }
    }
}

/// Returns the number of threads for each claim if `cpus` CPUs are divided among all of them.
///
/// Each claim gets at least one. CPUs that a cgroup or an affinity grants to several claims (those
/// of one domain) are first divided among these; the result limits each claim in the division of
/// all CPUs.
pub(super) fn divide(cpus: usize, claims: &[Claim]) -> Vec<usize> {
    let mut limits = vec![0; claims.len()];
    for first in 0..claims.len() {
        // A domain is divided when its first member is reached.
        if limits[first] == 0 {
            divide_domain(claims[first].domain, claims, &mut limits);
        }
    }
    let mut shares: Vec<Share> = claims.iter().zip(limits).map(Share::new).collect();
    distribute(cpus, &mut shares);
    shares.into_iter().map(|share| share.given).collect()
}

fn divide_domain(domain: u64, claims: &[Claim], limits: &mut [usize]) {
    let members: Vec<usize> = (0..claims.len())
        .filter(|&index| claims[index].domain == domain)
        .collect();
    let limited = members.iter().map(|&index| {
        let claim = &claims[index];
        (claim, claim.wanted.min(claim.cpus) as usize)
    });
    let mut shares: Vec<Share> = limited.map(Share::new).collect();
    // All members should claim the same number; they differ for a while after an affinity changes.
    let cpus = members.iter().map(|&index| claims[index].cpus).max();
    distribute(cpus.unwrap_or(1) as usize, &mut shares);
    for (index, share) in members.into_iter().zip(shares) {
        limits[index] = share.given;
    }
}

/// Each claim has one CPU; gives every further CPU to the claim with the fewest for its weight (the
/// D'Hondt method: no claim ends below the whole part of its proportional share, as far as the
/// initial CPUs allow).
fn distribute(cpus: usize, shares: &mut [Share]) {
    for _ in shares.len()..cpus {
        let open = shares.iter_mut().filter(|share| share.given < share.limit);
        // `max_by` would return the last of equal claims; the first is required, so that ties go by
        // the claims' order.
        let next = open.reduce(|best, other| {
            let (mine, theirs) = (
                best.weight * (other.given as u64 + 1),
                other.weight * (best.given as u64 + 1),
            );
            if theirs > mine { other } else { best }
        });
        match next {
            Some(share) => share.given += 1,
            None => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stripeline_testkit::Random;

    fn claim(weight: u16, cpus: u32, domain: u64) -> Claim {
        Claim {
            beat: 0,
            start: 0,
            process: 1,
            weight,
            cpus,
            wanted: cpus,
            domain,
            busy: true,
        }
    }

    fn whole(cpus: usize, weights: &[u16]) -> Vec<usize> {
        let claims: Vec<_> = weights
            .iter()
            .map(|&weight| claim(weight, cpus as u32, 0))
            .collect();
        divide(cpus, &claims)
    }

    #[test]
    fn equal_weights_get_equal_shares_and_the_first_the_rest() {
        assert_eq!(whole(16, &[1]), [16]);
        assert_eq!(whole(16, &[5, 5]), [8, 8]);
        assert_eq!(whole(8, &[1, 1, 1]), [3, 3, 2]);
    }

    #[test]
    fn weights_divide() {
        assert_eq!(whole(16, &[3, 1]), [12, 4]);
        assert_eq!(whole(8, &[1000, 1]), [7, 1]);
    }

    #[test]
    fn every_process_gets_a_thread() {
        assert_eq!(whole(2, &[1, 1, 1, 1000]), [1, 1, 1, 1]);
    }

    #[test]
    fn unused_cpus_go_to_the_others() {
        let claims = [claim(1, 2, 1), claim(1, 16, 0), claim(1, 16, 0)];
        assert_eq!(divide(16, &claims), [2, 7, 7]);
    }

    #[test]
    fn a_small_demand_takes_nothing_from_the_domain() {
        let modest = Claim {
            wanted: 2,
            ..claim(1, 16, 0)
        };
        assert_eq!(divide(16, &[modest.clone(), modest.clone()]), [2, 2]);
        assert_eq!(divide(16, &[modest, claim(1, 16, 0)]), [2, 14]);
    }

    #[test]
    fn a_domain_shares_its_own_cpus_only() {
        let claims = [claim(1, 4, 9), claim(3, 4, 9), claim(1, 4, 8)];
        assert_eq!(divide(16, &claims), [1, 3, 4]);
    }

    #[test]
    fn every_division_is_whole_and_within_limits() {
        let mut random = Random::new(9);
        for round in 0..2000 {
            let cpus = 1 + random.below(64);
            let count = 1 + random.below(12);
            let claims: Vec<_> = (0..count)
                .map(|_| {
                    let weight = 1 + random.below(1000) as u16;
                    claim(
                        weight,
                        1 + random.below(cpus) as u32,
                        random.below(4) as u64,
                    )
                })
                .collect();
            let given = divide(cpus, &claims);
            let total: usize = given.iter().sum();
            assert!(
                total <= cpus.max(count),
                "round {round}: {given:?} of {cpus}"
            );
            for (claim, &given) in claims.iter().zip(&given) {
                assert!((1..=claim.cpus as usize).contains(&given), "round {round}");
            }
            let heaviest = claims
                .iter()
                .map(|claim| u32::from(claim.weight))
                .sum::<u32>();
            let unlimited: Vec<_> = claims
                .iter()
                .map(|each| claim(each.weight, cpus as u32, 0))
                .collect();
            for (claim, given) in claims.iter().zip(divide(cpus, &unlimited)) {
                let due =
                    cpus.saturating_sub(count) * usize::from(claim.weight) / heaviest as usize;
                assert!(given >= due, "round {round}: {given} of {due} due");
            }
        }
    }
}
