// SPDX-License-Identifier: Apache-2.0
//! Fuzzes C's entry points with pointers to any position within one block of memory, or null.
//!
//! The model: a call is refused if a required buffer is null or an output shares a byte with
//! another buffer, and then nothing changes; otherwise outputs equal the oracle's and all other
//! memory is unchanged.

#![no_main]

use std::ptr;

use arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use stripeline_capi::{
    stripeline_codec, stripeline_codec_close, stripeline_codec_open, stripeline_decode,
    stripeline_encode, stripeline_status, stripeline_update, stripeline_verify,
};
use stripeline_fuzz::draw_bytes;
use stripeline_reference::Code;

fuzz_target!(|bytes: &[u8]| {
    // Running out of bytes ends the case.
    let _ = run(&mut Unstructured::new(bytes));
});

/// The start of a buffer in the memory, or null.
type Place = Option<usize>;

struct Stage {
    code: Code,
    data_units: usize,
    parity_units: usize,
    length: usize,
    memory: Vec<u8>,
    /// k+m units, then m more buffers for outputs.
    places: Vec<Place>,
}

fn run(source: &mut Unstructured<'_>) -> Result<()> {
    let number = source.int_in_range(0..=2)?;
    let code = Code::ALL[number];
    let data_units = source.int_in_range(1..=7)?;
    let parity_units = if code == Code::Xor {
        1
    } else {
        source.int_in_range(1..=4)?
    };
    let length = source.int_in_range(1..=150)?;
    let buffers = data_units + 2 * parity_units;
    let memory = draw_bytes(source, buffers * length)?;
    let mut places: Vec<Place> = (0..buffers).map(|buffer| Some(buffer * length)).collect();
    for _ in 0..source.int_in_range(0..=4)? {
        let place = source.choose_index(buffers)?;
        let inside = source.ratio(1, 2)?;
        places[place] = if inside {
            Some(source.int_in_range(0..=memory.len() - length)?)
        } else {
            None
        };
    }
    let stage = Stage {
        code,
        data_units,
        parity_units,
        length,
        memory,
        places,
    };

    let mut codec = ptr::null_mut();
    // SAFETY: `codec` is writable.
    let status =
        unsafe { stripeline_codec_open(number as i32, data_units, parity_units, &mut codec) };
    assert!(status == stripeline_status::STRIPELINE_OK && !codec.is_null());
    let outcome = match source.int_in_range(0..=3)? {
        0 => stage.encode(codec),
        1 => stage.verify(codec),
        2 => stage.update(codec, source.int_in_range(0..=data_units)?),
        _ => stage.decode(codec, source),
    };
    // SAFETY: opened above and not used after.
    unsafe { stripeline_codec_close(codec) };
    outcome
}

impl Stage {
    fn encode(mut self, codec: *const stripeline_codec) -> Result<()> {
        let (data, parity) = self.places.split_at(self.data_units);
        let (data, parity) = (data.to_vec(), parity[..self.parity_units].to_vec());
        let expected = self
            .writable(&data, &parity)
            .then(|| stripeline_reference::encode(self.code, self.parity_units, &self.read(&data)));
        let mut memory = self.memory.clone();
        let (inputs, outputs) = (pointers(&mut memory, &data), pointers(&mut memory, &parity));
        // SAFETY: lists have k and m entries, each null or with `length` bytes of `memory` behind
        // it.
        let status = unsafe {
            stripeline_encode(codec, inputs.as_ptr().cast(), outputs.as_ptr(), self.length)
        };
        self.check(status, expected, &parity, &memory);
        Ok(())
    }

    fn verify(self, codec: *const stripeline_codec) -> Result<()> {
        let (data, parity) = self.places.split_at(self.data_units);
        let parity = &parity[..self.parity_units];
        let present = data.iter().chain(parity).all(Option::is_some);
        let expected = present.then(|| {
            stripeline_reference::encode(self.code, self.parity_units, &self.read(data))
                == self.read(parity)
        });
        let mut memory = self.memory.clone();
        let (data, parity) = (pointers(&mut memory, data), pointers(&mut memory, parity));
        let mut sound = false;
        // SAFETY: as in `encode`; `sound` is writable and the other results may be null.
        let status = unsafe {
            let (data, parity) = (data.as_ptr().cast(), parity.as_ptr().cast());
            let nowhere = ptr::null_mut();
            stripeline_verify(
                codec,
                data,
                parity,
                self.length,
                &mut sound,
                nowhere,
                nowhere,
            )
        };
        assert_eq!(
            status == stripeline_status::STRIPELINE_OK,
            expected.is_some()
        );
        assert_eq!(sound, expected.unwrap_or(false));
        assert!(memory == self.memory, "verify changes nothing");
        Ok(())
    }

    fn update(mut self, codec: *const stripeline_codec, data_unit: usize) -> Result<()> {
        let (old, new) = (self.places[0], self.places[1 % self.data_units]);
        let parity = self.places[self.data_units..][..self.parity_units].to_vec();
        let fine = data_unit < self.data_units && self.writable(&[old, new], &parity);
        let expected = fine.then(|| {
            let mut change = vec![vec![0; self.length]; self.data_units];
            let before_and_after = self.read(&[old, new]);
            change[data_unit] = xor(&before_and_after[0], &before_and_after[1]);
            let change = stripeline_reference::encode(self.code, self.parity_units, &change);
            self.read(&parity)
                .iter()
                .zip(&change)
                .map(|(unit, change)| xor(unit, change))
                .collect()
        });
        let mut memory = self.memory.clone();
        let inputs = pointers(&mut memory, &[old, new]);
        let outputs = pointers(&mut memory, &parity);
        // SAFETY: the list has m entries, each buffer is null or `length` bytes of `memory`.
        let status = unsafe {
            let (old, new) = (inputs[0], inputs[1]);
            stripeline_update(codec, data_unit, old, new, outputs.as_ptr(), self.length)
        };
        self.check(status, expected, &parity, &memory);
        Ok(())
    }

    fn decode(
        mut self,
        codec: *const stripeline_codec,
        source: &mut Unstructured<'_>,
    ) -> Result<()> {
        let count = self.data_units + self.parity_units;
        let mut erased = Vec::new();
        for _ in 0..source.int_in_range(0..=self.parity_units)? {
            erased.push(source.int_in_range(0..=count as u32)?);
        }
        for unit in &erased {
            // The requested units are usually absent, as required.
            if (*unit as usize) < count && source.ratio(7, 8)? {
                self.places[*unit as usize] = None;
            }
        }
        let units = self.places[..count].to_vec();
        let outputs = self.places[count..][..erased.len()].to_vec();
        let expected = self.expected_units(&units, &erased, &outputs);
        let mut memory = self.memory.clone();
        let (inputs, to) = (
            pointers(&mut memory, &units),
            pointers(&mut memory, &outputs),
        );
        // SAFETY: lists have k+m and `count` entries, each null or with `length` bytes of `memory`
        // behind it.
        let status = unsafe {
            let (inputs, to) = (inputs.as_ptr().cast(), to.as_ptr());
            stripeline_decode(
                codec,
                inputs,
                erased.as_ptr(),
                erased.len(),
                to,
                self.length,
            )
        };
        self.check(status, expected, &outputs, &memory);
        Ok(())
    }

    fn expected_units(
        &self,
        units: &[Place],
        erased: &[u32],
        outputs: &[Place],
    ) -> Option<Vec<Vec<u8>>> {
        let erased: Vec<usize> = erased.iter().map(|unit| *unit as usize).collect();
        let in_order = erased.iter().enumerate().all(|(position, unit)| {
            units.get(*unit) == Some(&None) && !erased[..position].contains(unit)
        });
        let present: Vec<Place> = units.iter().copied().filter(Option::is_some).collect();
        if !in_order || !self.writable(&present, outputs) {
            return None;
        }
        if erased.is_empty() {
            return Some(Vec::new());
        }
        let given: Vec<_> = units
            .iter()
            .map(|place| place.map(|_| self.read(&[*place]).remove(0)))
            .collect();
        stripeline_reference::decode(
            self.code,
            self.data_units,
            self.parity_units,
            &given,
            &erased,
        )
    }

    /// Returns whether all buffers are present and no output shares a byte with another.
    fn writable(&self, inputs: &[Place], outputs: &[Place]) -> bool {
        let (Some(inputs), Some(outputs)) = (all_present(inputs), all_present(outputs)) else {
            return false;
        };
        outputs.iter().enumerate().all(|(position, output)| {
            let others = inputs.iter().chain(&outputs[..position]);
            others
                .into_iter()
                .all(|other| output.abs_diff(*other) >= self.length)
        })
    }

    fn read(&self, places: &[Place]) -> Vec<Vec<u8>> {
        let places = all_present(places).expect("read only what is there");
        places
            .iter()
            .map(|start| self.memory[*start..][..self.length].to_vec())
            .collect()
    }

    /// Checks the status and compares the memory after a call with the model.
    fn check(
        &mut self,
        status: stripeline_status,
        expected: Option<Vec<Vec<u8>>>,
        outputs: &[Place],
        after: &[u8],
    ) {
        assert_eq!(
            status == stripeline_status::STRIPELINE_OK,
            expected.is_some(),
            "{status:?}"
        );
        assert_ne!(status, stripeline_status::STRIPELINE_INTERNAL);
        for (unit, place) in expected.iter().flatten().zip(outputs) {
            let start = place.expect("an accepted output is not null");
            self.memory[start..][..self.length].copy_from_slice(unit);
        }
        assert!(
            after == self.memory,
            "outputs are right and nothing else changed"
        );
    }
}

fn all_present(places: &[Place]) -> Option<Vec<usize>> {
    places.iter().copied().collect()
}

fn pointers(memory: &mut [u8], places: &[Place]) -> Vec<*mut u8> {
    let start = memory.as_mut_ptr();
    places
        .iter()
        .map(|place| place.map_or(ptr::null_mut(), |at| start.wrapping_add(at)))
        .collect()
}

fn xor(left: &[u8], right: &[u8]) -> Vec<u8> {
    left.iter()
        .zip(right)
        .map(|(left, right)| left ^ right)
        .collect()
}
