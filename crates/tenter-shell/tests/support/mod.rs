pub mod puzzles;
pub mod shell;
