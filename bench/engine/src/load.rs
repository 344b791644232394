// SPDX-License-Identifier: Apache-2.0
//! Stripes that are coded repeatedly, and the expected contents of their outputs.

use std::sync::Arc;
use std::thread;

use stripeline_codec::{Code, Codec, Isa, Kernels};
use stripeline_rail::{Buffers, Job, Piece, Region};
use stripeline_testkit::Random;

use crate::away::Away;
use crate::failure::Failure;

/// The data units of RS-6-3, the shape of the paper.
pub const DATA: usize = 6;
/// The parity units of RS-6-3.
pub const PARITY: usize = 3;

/// The numbers of units of a stripe of the code RS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Data units.
    pub data: usize,
    /// Parity units.
    pub parity: usize,
}

/// RS-6-3.
pub const RS_6_3: Shape = Shape {
    data: DATA,
    parity: PARITY,
};

impl Shape {
    /// Returns the number of units of a stripe.
    pub fn units(self) -> usize {
        self.data + self.parity
    }
}

/// The contents of outputs before a window, so that unwritten bytes are detected.
const POISON: u8 = 0xa5;

/// The bytes of each stripe that are compared with the oracle, which is slow; the rest is compared
/// with the portable kernels, which share no instruction with the measured ones.
const ORACLE_BYTES: usize = 256;

/// The operation that the rails perform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// All parity units.
    Encode,
    /// The first three data units, from the other three and the parity.
    Decode,
}

impl Operation {
    /// Both operations.
    pub const ALL: [Self; 2] = [Self::Encode, Self::Decode];

    /// Returns the name that the codec's bench uses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Encode => "encode",
            Self::Decode => "decode-m",
        }
    }
}

/// A number of stripes, of RS-6-3 in ordinary memory unless stated otherwise.
pub struct Load {
    codec: Arc<Codec>,
    shape: Shape,
    operation: Operation,
    cell_bytes: usize,
    stripes: Vec<Stripe>,
    /// The units' memory, inputs before outputs, if the rails do not use the stripes' own memory.
    away: Option<Away>,
}

struct Stripe {
    inputs: Vec<Vec<u8>>,
    outputs: Vec<Vec<u8>>,
    expected: Vec<Vec<u8>>,
    regions: Regions,
}

/// The positions of the units, computed once so that issuing a task does not compute them.
struct Regions {
    inputs: Vec<Region>,
    /// The units in a decoder's form: the lost ones are absent.
    units: Vec<Option<Region>>,
    outputs: Vec<Region>,
}

const LOST: [usize; PARITY] = [0, 1, 2];

impl Load {
    /// Creates and fills `stripes` stripes.
    pub fn new(operation: Operation, cell_bytes: usize, stripes: usize) -> Self {
        Self::shaped(RS_6_3, operation, cell_bytes, stripes)
    }

    /// Creates and fills stripes of this shape, one for each group of units in `away`, to be
    /// encoded there.
    ///
    /// # Errors
    /// If units cannot be written there.
    pub fn encode_away(shape: Shape, stripes: usize, mut away: Away) -> Result<Self, Failure> {
        let mut load = Self::shaped(shape, Operation::Encode, away.unit_bytes(), stripes);
        for (index, stripe) in load.stripes.iter_mut().enumerate() {
            let first = index * shape.units();
            for (unit, input) in stripe.inputs.iter().enumerate() {
                away.put(first + unit, input)?;
            }
            let regions = (first..first + shape.units()).map(|unit| away.region(unit));
            let mut inputs: Vec<_> = regions.collect();
            stripe.regions = Regions {
                outputs: inputs.split_off(shape.data),
                units: Vec::new(),
                inputs,
            };
        }
        load.away = Some(away);
        Ok(load)
    }

    fn shaped(shape: Shape, operation: Operation, cell_bytes: usize, stripes: usize) -> Self {
        let Shape { data, parity } = shape;
        let codec = Codec::new(Code::Rs, data, parity).expect("the shape is a code's");
        let plain = Kernels::for_isa(Isa::Portable).expect("portable kernels run everywhere");
        let plain = Codec::with_kernels(Code::Rs, data, parity, plain).expect("as above");
        let stripe = &|index: usize| {
            let seed = 0x9e37_79b9_7f4a_7c15 ^ cell_bytes as u64;
            let mut random = Random::new(seed.rotate_left(index as u32));
            Stripe::new(shape, operation, cell_bytes, &plain, &mut random)
        };
        // At the same time, because portable kernels take seconds for a stripe of large cells.
        let stripes = thread::scope(|scope| {
            let threads: Vec<_> = (0..stripes)
                .map(|index| scope.spawn(move || stripe(index)))
                .collect();
            let ended = threads.into_iter().map(thread::ScopedJoinHandle::join);
            ended
                .map(|stripe| stripe.expect("a stripe is made"))
                .collect()
        });
        Self {
            codec: Arc::new(codec),
            shape,
            operation,
            cell_bytes,
            stripes,
            away: None,
        }
    }

    /// Returns the number of stripes.
    pub fn stripes(&self) -> usize {
        self.stripes.len()
    }

    /// Returns the bytes of data of one stripe.
    pub fn data_bytes(&self) -> usize {
        self.shape.data * self.cell_bytes
    }

    /// Returns a stripe as a piece of work for the engine.
    ///
    /// The task must have ended before the caller requests the same stripe, compares or poisons
    /// outputs, or drops the load; `drive` is the only caller.
    pub fn piece(&self, index: usize) -> Piece {
        let regions = &self.stripes[index].regions;
        let buffers = Buffers {
            bytes: self.cell_bytes,
            keep: None,
        };
        let piece = match self.operation {
            // SAFETY: the regions are the stripe's units, all of `cell_bytes` bytes of their kind
            // of memory, which share no byte and live as long as the load; nothing else accesses
            // them until the task has ended, and the engine ends a task only when no rail accesses
            // its buffers any more.
            Operation::Encode => unsafe {
                Job::encode(&self.codec, &regions.inputs, &regions.outputs, buffers)
            },
            // SAFETY: as above.
            Operation::Decode => unsafe {
                Job::decode(
                    &self.codec,
                    &regions.units,
                    &LOST,
                    &regions.outputs,
                    buffers,
                )
            },
        };
        piece.expect("the units of a stripe of the codec's shape")
    }

    /// Calls `code` with the data and the parity of a stripe to encode. Only for RS-6-3 in ordinary
    /// memory.
    pub fn slices<R>(
        &mut self,
        index: usize,
        code: impl FnOnce(&Codec, &[&[u8]], &mut [&mut [u8]]) -> R,
    ) -> R {
        debug_assert!(self.shape == RS_6_3 && self.away.is_none());
        debug_assert!(self.operation == Operation::Encode);
        let stripe = &mut self.stripes[index];
        let data: [&[u8]; DATA] = std::array::from_fn(|unit| stripe.inputs[unit].as_slice());
        let mut outputs = stripe.outputs.iter_mut();
        let mut parity: [&mut [u8]; PARITY] =
            std::array::from_fn(|_| outputs.next().expect("three outputs").as_mut_slice());
        code(&self.codec, &data, &mut parity)
    }

    /// Overwrites all outputs with wrong bytes.
    ///
    /// # Errors
    /// If the outputs are in `away` and cannot be written.
    pub fn poison(&mut self) -> Result<(), Failure> {
        for (index, stripe) in self.stripes.iter_mut().enumerate() {
            let first = index * self.shape.units() + self.shape.data;
            for (unit, output) in stripe.outputs.iter_mut().enumerate() {
                output.fill(POISON);
                if let Some(away) = &mut self.away {
                    away.put(first + unit, output)?;
                }
            }
        }
        Ok(())
    }

    /// Compares every byte of the outputs of the first `stripes` stripes.
    ///
    /// # Errors
    /// If a byte differs, or outputs are in `away` and cannot be read.
    pub fn compare(&mut self, stripes: usize, who: &str) -> Result<(), Failure> {
        self.fetch(stripes)?;
        for (index, stripe) in self.stripes.iter().take(stripes).enumerate() {
            for (unit, (got, wanted)) in stripe.outputs.iter().zip(&stripe.expected).enumerate() {
                if got == wanted {
                    continue;
                }
                let offset = (0..got.len())
                    .find(|&at| got[at] != wanted[at])
                    .unwrap_or(0);
                return Err(Failure::Wrong(format!(
                    "Cannot time {who}: {} of stripe {index}: byte {offset} of output {unit} \
                     is {:#04x}, must be {:#04x}",
                    self.operation.name(),
                    got[offset],
                    wanted[offset]
                )));
            }
        }
        Ok(())
    }

    /// Copies outputs in `away` to the stripes.
    fn fetch(&mut self, stripes: usize) -> Result<(), Failure> {
        let Some(away) = &self.away else {
            return Ok(());
        };
        for (index, stripe) in self.stripes.iter_mut().take(stripes).enumerate() {
            let first = index * self.shape.units() + self.shape.data;
            for (unit, output) in stripe.outputs.iter_mut().enumerate() {
                away.get(first + unit, output)?;
            }
        }
        Ok(())
    }
}

impl Stripe {
    fn new(
        shape: Shape,
        operation: Operation,
        cell_bytes: usize,
        plain: &Codec,
        random: &mut Random,
    ) -> Self {
        let mut data = vec![vec![0; cell_bytes]; shape.data];
        data.iter_mut().for_each(|unit| random.fill(unit));
        let mut parity = vec![vec![0; cell_bytes]; shape.parity];
        let sources: Vec<&[u8]> = data.iter().map(Vec::as_slice).collect();
        let mut targets: Vec<&mut [u8]> = parity.iter_mut().map(Vec::as_mut_slice).collect();
        let encoded = plain.encode(&sources, &mut targets);
        encoded.expect("units of one length");
        check_with_oracle(&data, &parity);
        let (inputs, expected) = match operation {
            Operation::Encode => (data, parity),
            Operation::Decode => {
                let mut survivors = data.split_off(LOST.len());
                survivors.extend(parity);
                (survivors, data)
            }
        };
        let mut stripe = Self {
            outputs: vec![vec![POISON; cell_bytes]; expected.len()],
            inputs,
            expected,
            regions: Regions {
                inputs: Vec::new(),
                units: Vec::new(),
                outputs: Vec::new(),
            },
        };
        stripe.locate();
        stripe
    }

    fn locate(&mut self) {
        let region = |unit: &mut Vec<u8>| Region::host(unit.as_mut_ptr());
        let inputs: Vec<_> = self.inputs.iter_mut().map(region).collect();
        let lost = LOST.iter().map(|_| None);
        self.regions = Regions {
            units: lost.chain(inputs.iter().copied().map(Some)).collect(),
            inputs,
            outputs: self.outputs.iter_mut().map(region).collect(),
        };
    }
}

fn check_with_oracle(data: &[Vec<u8>], parity: &[Vec<u8>]) {
    let head = |unit: &Vec<u8>| unit[..unit.len().min(ORACLE_BYTES)].to_vec();
    let data: Vec<_> = data.iter().map(head).collect();
    let heads: Vec<_> = parity.iter().map(head).collect();
    let wanted = stripeline_reference::encode(stripeline_reference::Code::Rs, parity.len(), &data);
    assert_eq!(heads, wanted, "plain kernels agree with the oracle");
}

#[cfg(test)]
mod tests {
    use stripeline_engine::Scheduling;

    use super::*;
    use crate::drive;
    use crate::rails::{self, Kind};

    #[test]
    fn right_bytes_pass_and_one_wrong_byte_is_detected() {
        let options = rails::options(Scheduling::Single("cpu".to_owned()));
        let engine = rails::engine(&[Kind::cpu()], options).expect("every machine has it");
        for operation in Operation::ALL {
            let mut load = Load::new(operation, 4096, 3);
            drive::count(&engine, &load, 3).expect("a rail that codes");
            load.compare(3, "right bytes").expect("right bytes");
            load.stripes[2].outputs[1][4095] ^= 1;
            load.compare(2, "two").expect("only two stripes");
            let Err(Failure::Wrong(text)) = load.compare(3, "three") else {
                panic!("a wrong byte passed");
            };
            assert!(text.contains("stripe 2: byte 4095 of output 1"), "{text}");
            load.poison().expect("memory of the process");
            assert!(load.compare(1, "poison").is_err());
        }
    }
}
