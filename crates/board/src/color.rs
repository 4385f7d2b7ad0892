//! The two colours, and tables with one value for each.

use std::ops::{Index, IndexMut};

use shogi_core::Color;

/// Both colours, Black first.
pub const COLORS: [Color; 2] = [Color::Black, Color::White];

/// The other colour. The same as [`Color::flip`], which is not inlined without link-time optimisation.
#[must_use]
#[inline(always)]
pub const fn opponent(color: Color) -> Color {
    match color {
        Color::Black => Color::White,
        Color::White => Color::Black,
    }
}

/// One value for each colour, indexed by [`Color`].
///
/// ```
/// use kiki_board::{ByColor, Color};
///
/// let mut pieces = ByColor::new(20, 20);
/// pieces[Color::White] -= 1;
/// assert_eq!(pieces, ByColor::new(20, 19));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(transparent)]
pub struct ByColor<T>(pub(crate) [T; 2]);

impl<T> ByColor<T> {
    /// Black's value and White's.
    #[must_use]
    #[inline(always)]
    pub const fn new(black: T, white: T) -> Self {
        Self([black, white])
    }

    /// The same value for both.
    #[must_use]
    #[inline(always)]
    pub const fn both(value: T) -> Self
    where
        T: Copy,
    {
        Self([value; 2])
    }

    /// The values of a function of the colour; Black's is asked for first.
    #[must_use]
    #[inline(always)]
    pub fn from_fn(mut value: impl FnMut(Color) -> T) -> Self {
        let black = value(Color::Black);
        Self::new(black, value(Color::White))
    }

    /// The colours with their values, Black first.
    pub fn iter(&self) -> impl Iterator<Item = (Color, &T)> {
        COLORS.into_iter().zip(&self.0)
    }
}

impl<T> Index<Color> for ByColor<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, color: Color) -> &T {
        &self.0[color.array_index()]
    }
}

impl<T> IndexMut<Color> for ByColor<T> {
    #[inline(always)]
    fn index_mut(&mut self, color: Color) -> &mut T {
        &mut self.0[color.array_index()]
    }
}
