// SPDX-License-Identifier: Apache-2.0
//! Golden vectors: which cases there are, and their JSON form (described in `vectors/README.md`).

use serde::{Deserialize, Serialize};

use crate::{Checksum, Code, checksum, decode, encode, parity_matrix};

/// The shapes (k, m) of a code's cases: HDFS's policies, common ones beyond, and the widest of
/// Hadoop.
const RS_SHAPES: [(usize, usize); 8] = [
    (3, 2),
    (6, 3),
    (10, 4),
    (12, 4),
    (17, 3),
    (1, 1),
    (2, 5),
    (200, 55),
];
const XOR_SHAPES: [(usize, usize); 6] = [(2, 1), (3, 1), (6, 1), (10, 1), (1, 1), (254, 1)];

/// Lengths around the steps of vector kernels: one byte, odd, one and four 64-byte steps and a bit.
const LENGTHS: [usize; 4] = [1, 31, 64, 259];

/// Wide stripes are long enough at a few bytes.
const WIDE_LENGTHS: [usize; 1] = [5];

/// Short units still get several checksums, the last of them of a short chunk.
const BYTES_PER_CHECKSUM: usize = 100;

/// The vectors of one code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VectorFile {
    /// The code's name.
    pub code: String,
    /// The cases, in no meaningful order.
    pub cases: Vec<Case>,
}

/// One stripe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Data units, k.
    pub data_units: usize,
    /// Parity units, m.
    pub parity_units: usize,
    /// Bytes per unit.
    pub length: usize,
    /// The m x k parity coefficients, row by row, in hexadecimal.
    pub parity_matrix: String,
    /// The k data units in hexadecimal.
    pub data: Vec<String>,
    /// The m parity units in hexadecimal.
    pub parity: Vec<String>,
    /// Bytes covered by one checksum; the last chunk of a unit may be shorter.
    pub bytes_per_checksum: usize,
    /// Per unit, data first, its CRC-32C checksums in order, each as 8 hexadecimal digits.
    pub crc32c: Vec<String>,
    /// Likewise CRC-32.
    pub crc32: Vec<String>,
    /// Which units to lose and get back.
    pub erasures: Vec<Erasure>,
}

/// A decode: its outputs are the units named in `erased`, in that order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Erasure {
    /// Units to compute, in the order asked for, which need not ascend.
    pub erased: Vec<usize>,
    /// All units that are not given, ascending; those not in `erased` are not asked for.
    pub absent: Vec<usize>,
}

/// All cases of a code.
#[must_use]
pub fn vector_file(code: Code) -> VectorFile {
    let shapes: &[(usize, usize)] = if code == Code::Xor {
        &XOR_SHAPES
    } else {
        &RS_SHAPES
    };
    let mut cases = Vec::new();
    for (data_units, parity_units) in shapes.iter().copied() {
        let wide = data_units + parity_units > 32;
        let lengths: &[usize] = if wide { &WIDE_LENGTHS } else { &LENGTHS };
        for length in lengths.iter().copied() {
            cases.push(case(code, data_units, parity_units, length));
        }
    }
    VectorFile {
        code: code.name().to_owned(),
        cases,
    }
}

fn case(code: Code, data_units: usize, parity_units: usize, length: usize) -> Case {
    let mut random = SplitMix::new((data_units << 32 | parity_units << 16 | length) as u64);
    let data: Vec<Vec<u8>> = (0..data_units)
        .map(|_| (0..length).map(|_| random.next() as u8).collect())
        .collect();
    let parity = encode(code, parity_units, &data);
    let stripe: Vec<Vec<u8>> = data.iter().chain(&parity).cloned().collect();
    let erasures = erasures(data_units, parity_units);
    for erasure in &erasures {
        check_decodes(code, data_units, parity_units, &stripe, erasure);
    }
    let sums = |kind| stripe.iter().map(|unit| chunk_sums(kind, unit)).collect();
    Case {
        data_units,
        parity_units,
        length,
        parity_matrix: to_hex(&parity_matrix(code, data_units, parity_units).concat()),
        data: data.iter().map(|unit| to_hex(unit)).collect(),
        parity: parity.iter().map(|unit| to_hex(unit)).collect(),
        bytes_per_checksum: BYTES_PER_CHECKSUM,
        crc32c: sums(Checksum::Crc32c),
        crc32: sums(Checksum::Crc32),
        erasures,
    }
}

fn chunk_sums(kind: Checksum, unit: &[u8]) -> String {
    unit.chunks(BYTES_PER_CHECKSUM)
        .map(|chunk| format!("{:08x}", checksum(kind, chunk)))
        .collect()
}

/// Single units at both ends, all that the code repairs (data, parity, mixed, unsorted), and less
/// than is absent.
fn erasures(data_units: usize, parity_units: usize) -> Vec<Erasure> {
    let units = data_units + parity_units;
    let most = parity_units.min(data_units);
    let first_data: Vec<usize> = (0..most).collect();
    let last_data_reversed: Vec<usize> = (data_units - most..data_units).rev().collect();
    let all_parity: Vec<usize> = (data_units..units).collect();
    // Every other unit from the end: mixes parity and data, parity first.
    let mixed: Vec<usize> = (0..units).rev().step_by(2).take(parity_units).collect();
    let mut lists: Vec<(Vec<usize>, Vec<usize>)> = vec![
        (vec![0], vec![]),
        (vec![data_units - 1], vec![]),
        (vec![data_units], vec![]),
        (vec![units - 1], vec![]),
        (first_data.clone(), vec![]),
        (last_data_reversed, vec![]),
        (all_parity.clone(), vec![]),
        (mixed.clone(), vec![]),
        (mixed[..1].to_vec(), mixed),
        (first_data[most - 1..].to_vec(), first_data),
        (all_parity[parity_units - 1..].to_vec(), all_parity),
    ];
    for (erased, absent) in &mut lists {
        absent.extend_from_slice(erased);
        absent.sort_unstable();
        absent.dedup();
    }
    lists.dedup();
    lists
        .into_iter()
        .map(|(erased, absent)| Erasure { erased, absent })
        .collect()
}

/// A vector that the oracle itself cannot decode would be no vector.
fn check_decodes(code: Code, k: usize, m: usize, stripe: &[Vec<u8>], erasure: &Erasure) {
    let units: Vec<_> = stripe
        .iter()
        .enumerate()
        .map(|(number, unit)| (!erasure.absent.contains(&number)).then(|| unit.clone()))
        .collect();
    let decoded = decode(code, k, m, &units, &erasure.erased).expect("the case is decodable");
    for (unit, number) in decoded.iter().zip(&erasure.erased) {
        assert_eq!(
            unit,
            &stripe[*number],
            "{} {k}+{m} unit {number}",
            code.name()
        );
    }
}

impl VectorFile {
    /// The file's text: JSON with a case per line, so that a difference names its case.
    ///
    /// # Panics
    /// Never: these types have no values that JSON cannot hold.
    #[must_use]
    pub fn to_json(&self) -> String {
        let line = |case| serde_json::to_string(case).expect("plain data becomes JSON");
        let cases: Vec<String> = self.cases.iter().map(line).collect();
        format!(
            "{{\"code\":\"{}\",\"cases\":[\n{}\n]}}\n",
            self.code,
            cases.join(",\n")
        )
    }

    /// Reads a file's text.
    ///
    /// # Errors
    /// If the text is not of this form.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}

/// Bytes as hexadecimal digits, high digit first.
#[must_use]
pub fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes that [`to_hex`] wrote.
///
/// # Panics
/// If the text is not pairs of hexadecimal digits.
#[must_use]
pub fn from_hex(text: &str) -> Vec<u8> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).expect("a hexadecimal digit") as u8;
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    assert!(rest.is_empty(), "an even number of digits");
    pairs
        .iter()
        .map(|[high, low]| digit(high) << 4 | digit(low))
        .collect()
}

/// Steele, Lea and Flood's SplitMix64: a good generator that fits in five lines.
pub(crate) struct SplitMix {
    state: u64,
}

impl SplitMix {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
