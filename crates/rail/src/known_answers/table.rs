// SPDX-License-Identifier: Apache-2.0
//! The oracle's answers.
//! Written by `cargo run -p stripeline-reference --bin write-known-answers FILE`.

use stripeline_codec::Code;

use super::Answer;

pub(super) static ANSWERS: &[Answer] = &[
    Answer {
        code: Code::Rs,
        data_units: 1,
        parity: &[
            [0xf5237800d0208777, 0x2f2824cc281e9584],
        ],
        updated: &[
            [0xf578eecd643780a3, 0x9130fd05ccad1cce],
        ],
    },
    Answer {
        code: Code::Rs,
        data_units: 3,
        parity: &[
            [0x43bcbd3268453de0, 0xf7ada4ce209bc689],
            [0xd2c98c5f0d4a9553, 0x2defd8ea390823c3],
        ],
        updated: &[
            [0x250adff332ce4fa9, 0xbdcff55dd62fe859],
            [0xf6cfe3080809a9b4, 0xd19559556f956ea4],
        ],
    },
    Answer {
        code: Code::Rs,
        data_units: 6,
        parity: &[
            [0x346c19fbca863ac2, 0xdc76fe8ce3d41a2c],
            [0xe1a3c846654bde35, 0x5e1915ac275ddad2],
            [0x6c72e1f9749dd005, 0x210a57ad9825c126],
        ],
        updated: &[
            [0xbd93aa7af5c9cfe8, 0x91896b742622b89e],
            [0x661d64ec9e921f94, 0xa15df5b5af93c24f],
            [0xb56ed4d8a2165edb, 0xb9498b0433e376c6],
        ],
    },
    Answer {
        code: Code::Rs,
        data_units: 10,
        parity: &[
            [0xe375a8bfec1f977d, 0xcb40e2e0f75135a7],
            [0x82b3055b7f0a666c, 0xc4585b5bb932755f],
            [0x328710521157e669, 0x1c48cf807a4deee6],
            [0xb964d3812b21df90, 0x8658c1852697b1a0],
        ],
        updated: &[
            [0x4a5504215f200742, 0x01b8d3ff2371b40e],
            [0x3edd3515087b468e, 0x0c0bb95dd091ce52],
            [0x0d26a45a2d47929a, 0x71dccde86375e7c7],
            [0xb8cb48e0c72da3a5, 0x20f421d50a1d167e],
        ],
    },
    Answer {
        code: Code::Rs,
        data_units: 12,
        parity: &[
            [0xd6865321ea841def, 0x54f5fcb77fd3008d],
            [0x9623144f16bd0544, 0xd9788adc545a9f31],
            [0x41648dbc88cb37af, 0x123b16b42bc9f170],
            [0x1914321190ac5907, 0xad9c163af3f6275a],
        ],
        updated: &[
            [0x296d1403a4093bd7, 0x7520f75d6208c574],
            [0x125fc8816af57338, 0xb9fe6fe6abe8cbfe],
            [0x129fe2c2a7ace731, 0xd94770ac29b7f3e8],
            [0xade323d57db023db, 0x93bd9c2e39754c7c],
        ],
    },
    Answer {
        code: Code::Rs,
        data_units: 17,
        parity: &[
            [0xb759aa5dc9e05581, 0x35c603fdd2196a3f],
            [0xc9ab8d0643b26d77, 0xf4a4687e06b8a46d],
            [0xe3fc1645fbc1f986, 0x2dc84ffa094fc49b],
        ],
        updated: &[
            [0xbd82a0be11032edc, 0xff7fde11ed2fea10],
            [0x02573080f0499e77, 0x0b2d8ff4537a84cd],
            [0x3b8801fc760013bb, 0x6911256532497812],
        ],
    },
    Answer {
        code: Code::Rs,
        data_units: 30,
        parity: &[
            [0x4b2c6febda29970e, 0xbf289bbab8450d91],
            [0x49b4ea0d3f58f518, 0x0dc0bc2aa971ab92],
            [0x578f3e0e7985c9fe, 0x4331de1208edb89e],
            [0x01cebfc2b00b51e7, 0xe43dc0330eaa524d],
            [0x87c9dade9fc19694, 0x20c6c4a26b814966],
            [0xb9b137d910238744, 0xf956b5c2c0757e36],
            [0x7fe910b53cd2eab9, 0x206065a42188ee7e],
            [0xc4ffec502601bfbe, 0xdb58dc7397e6ce10],
            [0x4a6e8f8625d64c73, 0x4d4a2d264258ebbc],
            [0x1632a2f65e6959c6, 0x9f1138e5cd5e2a45],
            [0x787deff575b5fd4e, 0x9ff6c5509d619fe7],
            [0x89acdb04d9efec2e, 0xcc966684faf8b301],
        ],
        updated: &[
            [0x1a41d89bff3df35f, 0x6cee83dfd48a7366],
            [0xc3886d6ef82a8192, 0x45b081003a31ea2e],
            [0x2c6852c94681aea1, 0xcfd5525e4f1afe29],
            [0x4c0e906125d19544, 0xd94d6b1dd110254c],
            [0x4709f344912a95cd, 0xd8ef18318091f923],
            [0xb7de0ef4a7680637, 0x9c52bab9908f8786],
            [0x07ccd0f3a5354443, 0x4836925dc0be6efe],
            [0x005b60a0d789b152, 0x4d93a88465e679e3],
            [0xb3150d8d85652347, 0x5be32f619bf68dc1],
            [0x38c60afc39c0e959, 0xe634b0aa5000ba51],
            [0x44f35e901b736e3f, 0x5229d483a251b32a],
            [0x8e4eaec125091445, 0x62c20bbf2d58e10f],
        ],
    },
    Answer {
        code: Code::RsLegacy,
        data_units: 3,
        parity: &[
            [0x68f4bd367e6ccc36, 0xc88503261d216c90],
            [0xc0372b711eefd78c, 0x17aa1502d453dae3],
        ],
        updated: &[
            [0x670d95066dce7f8b, 0x090f1bcf75a972da],
            [0xc80d0a49f59c3e62, 0xf7f67bcf6824554b],
        ],
    },
    Answer {
        code: Code::RsLegacy,
        data_units: 6,
        parity: &[
            [0x705648601f3f84d3, 0x8973252e2a9ea0e5],
            [0x2f0e2654324cffcb, 0xef1951af46fe793e],
            [0x39fbd552cc5e9b22, 0x97063c0ae81bb6c5],
        ],
        updated: &[
            [0x20e1f773a4de8ffb, 0x7d7263f662e92af3],
            [0xf898f1bac255d657, 0xd50e25ec988ec232],
            [0xcf1a661605f0b5a1, 0x71711eab127aa93d],
        ],
    },
    Answer {
        code: Code::RsLegacy,
        data_units: 10,
        parity: &[
            [0x784435a921ac4515, 0x24c062f7a965697d],
            [0xded4032e8bb44b40, 0xeff0e8533ce123a9],
            [0x6aa1c8a687678844, 0xc48e05753b3ac49b],
            [0xaceb807d1d4248e6, 0x1ca00ef4f36ef4be],
        ],
        updated: &[
            [0x6e0fb47b6f0af215, 0x28c8ba14cfd3497d],
            [0xe0d9f7360f1f13cc, 0x3d431700b2895106],
            [0x8145f087e382b53a, 0x526f829d2539bcbf],
            [0x6f5b20891b831c6e, 0x208309c94fc257c7],
        ],
    },
    Answer {
        code: Code::Xor,
        data_units: 1,
        parity: &[
            [0xf5237800d0208777, 0x2f2824cc281e9584],
        ],
        updated: &[
            [0xf578eecd643780a3, 0x9130fd05ccad1cce],
        ],
    },
    Answer {
        code: Code::Xor,
        data_units: 2,
        parity: &[
            [0x05016bd4fb5ba31f, 0x3e9b7b1a7ed98120],
        ],
        updated: &[
            [0xc94ceff613f64a56, 0x2919f75143059185],
        ],
    },
    Answer {
        code: Code::Xor,
        data_units: 10,
        parity: &[
            [0x8f791181b7839d14, 0xce47d98c7faeac06],
        ],
        updated: &[
            [0x0e486a1cb64db5e1, 0xbd8e5f84a088984f],
        ],
    },
];
