//! Anchors: for each form, the three bytes by which the first pass finds it; computed at compile time.

use super::rules::{FORMS, SHAPES};
use super::shape::{self, Piece};
use super::trigram::Rows;

/// Number of bytes of a form searched for the rarest three.
pub(super) const WINDOW: usize = 96;

/// A form that may be present where its three bytes are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    trigram: u16,
    /// Index of the form.
    pub(super) target: u16,
    /// Distance of the three bytes from the start of the form.
    pub(super) at: u8,
    /// First byte of the form in lower case; zero if it varies.
    pub(super) first: u8,
}

/// Upper limit of the number of anchors.
const MOST: usize = 1200;
const BUILT: ([Anchor; MOST], usize) = build();
const SIZE: usize = BUILT.1;
pub(super) static ANCHORS: [Anchor; SIZE] = anchors();
pub(super) static ROWS: Rows = rows();
pub(super) static RANKS: [u16; 1025] = ranks();
/// Number of distinct trigrams.
const DISTINCT: usize = RANKS[1024] as usize;
pub(super) static STARTS: [u16; DISTINCT + 1] = starts();

/// Trigrams that are frequent in code and prose: letters, `0` for digits, `_` also for `-`, `/` also for `~`,
/// a blank for the rest. A form's anchor avoids them if possible.
const USUAL: &str = concat!(
    "    _a as ke pr sa si.co.st0.000.00000:00b0c0://_00__u_ap_bi_de_ke_li_lo_na_no_pa_pr_se",
    "_to_us_whabiaccackageal_andantapiapparearsas_aseasiassastataatcateattautbinbloboxc00cac",
    "calcatccecescipck.ck_clocomconcorcoucrect_cticurdevdisdite_ae_pe_se_teareckel_emoemsen ",
    "en_endenter.erserves/eseessestet_eveey ffeffificfigflogengergitgloharhubiceierig ignigu",
    "in_inaionithivaivejoikenkeylablaclaglarlasle_limlinloaloclowly_makmatme_menmerminmonn p",
    "n snd nd_nfonicnonnt_ntrnvaocaockoduoffokeon on_oneookootopeor_ordorkoseounowspaspatpen",
    "pi_polpplppopripropulputralrcere_redretrigrivrocroort_s_sscasecsensersessigsioss_ssist.",
    "st_t_et_ttaitattchtesth_tiotlytoktpstritryttyuctuffuntuseuthv0_vatvelvervicwory  y_pys_",
);

/// Approximate frequency of a class in ordinary text, per mille.
pub(super) const WEIGHT: [u32; 32] = [
    60, 12, 30, 32, 90, 18, 15, 25, 55, 2, 6, 35, 22, 55, 55, 22, 2, 50, 55, 65, 25, 8, 10, 5, 12,
    2, 40, 30, 15, 10, 12, 220,
];

/// The class of a byte: ignores case and the value of digits.
pub(super) const fn class_of(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => byte - b'a',
        b'A'..=b'Z' => byte - b'A',
        b'0'..=b'9' => 26,
        b'_' | b'-' => 27,
        b'.' => 28,
        b':' => 29,
        b'/' | b'~' => 30,
        _ => 31,
    }
}

/// The positions of a form at fixed distance from its start.
struct Places {
    /// Classes possible at each position.
    sets: [u32; WINDOW],
    /// Frequency of such bytes.
    weights: [u64; WINDOW],
    len: usize,
}

impl Places {
    #[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
    const fn push(&mut self, set: u32, count: usize) {
        let mut weight = 0;
        let mut class = 0;
        while class < 32 {
            if set >> class & 1 == 1 {
                weight += WEIGHT[class] as u64;
            }
            class += 1;
        }
        let mut added = 0;
        while added < count && self.len < WINDOW {
            self.sets[self.len] = set;
            self.weights[self.len] = weight;
            self.len += 1;
            added += 1;
        }
    }

    const fn of(form: &str) -> Self {
        let mut places = Self { sets: [0; WINDOW], weights: [0; WINDOW], len: 0 };
        let mut rest = form.as_bytes();
        while let Some((piece, after)) = shape::piece(rest) {
            rest = after;
            match piece {
                Piece::Mark => {}
                Piece::Literal(byte) => places.push(1 << class_of(byte), 1),
                Piece::Run(run) => {
                    let mut set = 0;
                    let mut byte: u8 = b'%';
                    while byte < 128 {
                        if run.holds(byte) {
                            set |= 1 << class_of(byte);
                        }
                        byte += 1;
                    }
                    places.push(set, run.min);
                    if run.max != run.min {
                        return places;
                    }
                }
            }
        }
        places
    }

    /// The rarest three consecutive positions.
    #[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
    const fn rarest(&self) -> usize {
        assert!(self.len >= 3, "a form needs three fixed places");
        let mut best = 0;
        let mut lowest = u64::MAX;
        let mut at = 0;
        while at + 2 < self.len {
            let weight = self.weights[at] * self.weights[at + 1] * self.weights[at + 2];
            let usual = usual(self.sets[at], self.sets[at + 1], self.sets[at + 2]);
            let weight = if usual { weight * 8 } else { weight };
            if weight < lowest {
                lowest = weight;
                best = at;
            }
            at += 1;
        }
        best
    }
}

/// The same as rows.
const USUAL_ROWS: Rows = usual_rows();

#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
const fn usual_rows() -> Rows {
    let mut rows = [[0; 32]; 32];
    let mut rest = USUAL.as_bytes();
    while let [first, second, third, after @ ..] = rest {
        rest = after;
        rows[class_of(*first) as usize][class_of(*second) as usize] |= 1 << class_of(*third);
    }
    rows
}

/// Whether three positions are frequent in ordinary text.
#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
const fn usual(first: u32, second: u32, third: u32) -> bool {
    let single = first.is_power_of_two() && second.is_power_of_two();
    let (first, second) = (first.trailing_zeros() as usize, second.trailing_zeros() as usize);
    single && USUAL_ROWS[first][second] & third == third
}

const fn first_byte(form: &str) -> u8 {
    match form.as_bytes() {
        [] | [b'{', ..] | b" pw" => 0,
        [first, ..] => first.to_ascii_lowercase(),
    }
}

/// All anchors and their number; sorted by trigram, then by form.
#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
#[expect(clippy::cast_possible_truncation, reason = "small numbers, checked when compiling")]
const fn build() -> ([Anchor; MOST], usize) {
    let mut table = [Anchor { trigram: 0, target: 0, at: 0, first: 0 }; MOST];
    let mut count = 0;
    let mut target = 0;
    while target < FORMS {
        let places = Places::of(SHAPES[target]);
        let at = places.rarest();
        let first = first_byte(SHAPES[target]);
        let mut code: u32 = 0;
        while code < 1 << 15 {
            if places.sets[at] >> (code >> 10) & 1 == 0 {
                code += 1 << 10;
                continue;
            }
            if places.sets[at + 1] >> (code >> 5 & 31) & 1 == 0 {
                code += 1 << 5;
                continue;
            }
            if places.sets[at + 2] >> (code & 31) & 1 == 1 {
                // Insertion sort.
                let mut place = count;
                while place > 0 && table[place - 1].trigram > code as u16 {
                    table[place] = table[place - 1];
                    place -= 1;
                }
                table[place] =
                    Anchor { trigram: code as u16, target: target as u16, at: at as u8, first };
                count += 1;
            }
            code += 1;
        }
        target += 1;
    }
    (table, count)
}

#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
const fn anchors() -> [Anchor; SIZE] {
    let mut table = [Anchor { trigram: 0, target: 0, at: 0, first: 0 }; SIZE];
    let mut at = 0;
    while at < SIZE {
        table[at] = BUILT.0[at];
        at += 1;
    }
    table
}

#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
const fn rows() -> Rows {
    let mut rows = [[0; 32]; 32];
    let mut at = 0;
    while at < SIZE {
        let code = ANCHORS[at].trigram;
        rows[(code >> 10) as usize][(code >> 5 & 31) as usize] |= 1 << (code & 31);
        at += 1;
    }
    rows
}

/// Index of each row's first trigram, and the total at the end.
#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
#[expect(clippy::cast_possible_truncation, reason = "there are far fewer than 65536 trigrams")]
const fn ranks() -> [u16; 1025] {
    let mut ranks = [0; 1025];
    let mut row = 0;
    while row < 1024 {
        ranks[row + 1] = ranks[row] + ROWS[row >> 5][row & 31].count_ones() as u16;
        row += 1;
    }
    ranks
}

/// Index of each trigram's first anchor, and the total at the end.
#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
#[expect(clippy::cast_possible_truncation, reason = "there are far fewer than 65536 anchors")]
const fn starts() -> [u16; DISTINCT + 1] {
    let mut starts = [SIZE as u16; DISTINCT + 1];
    let mut rank = 0;
    let mut at = 0;
    while at < SIZE {
        if at == 0 || ANCHORS[at].trigram != ANCHORS[at - 1].trigram {
            starts[rank] = at as u16;
            rank += 1;
        }
        at += 1;
    }
    starts
}
