//! A report before it has a format: headings, text, tables, charts and notes. Pure data; one
//! renderer for each format turns it into text.

/// One report.
#[derive(Clone, Debug, Default)]
pub(crate) struct Doc {
    /// What the report is about, in a few words; the title of the HTML page.
    pub title: String,
    /// What a reader must know before anything else, a sentence each.
    pub summary: Vec<String>,
    pub blocks: Vec<Block>,
    /// What explains the tables, and where and how it was measured.
    pub notes: Vec<String>,
    footnotes: Vec<String>,
}

#[derive(Clone, Debug)]
pub(crate) enum Block {
    /// A heading with its rank: 1 for the largest.
    Heading(u8, String),
    /// A paragraph. A line break in it stays one.
    Text(String),
    /// A line of a list.
    Item(String),
    Table(Table),
    Chart(Chart),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
    /// The columns after the first come in sections of so many. Where a table is too wide for a
    /// terminal, its sections stand below each other. 0 for a table that stays whole.
    pub section: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub title: String,
    pub align: Align,
    pub keep: Keep,
    /// What the figures are; the terminal says it only where it shows the column.
    pub about: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// How readily a terminal hides a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    Always,
    /// Hidden one by one, the first ones first, where even narrow gaps do not make the table fit.
    IfItFits,
    /// Hidden before the gaps between columns get narrow.
    IfWide,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    /// Fewer than the table has columns where nothing more is to be said.
    pub cells: Vec<Cell>,
    /// The heading of the rows that follow.
    pub is_group: bool,
    /// How deep the row's name stands below that of the row above.
    pub depth: u8,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cell {
    pub text: String,
    pub tone: Tone,
    /// The number of a footnote, from [`Doc::footnote`].
    pub note: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    #[default]
    Plain,
    Strong,
    Good,
    Warning,
    Bad,
}

/// Bars that are made of parts, all on one scale: the mean of each part, and every sample.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chart {
    pub title: String,
    pub unit: &'static str,
    /// The names of the parts, in their order.
    pub parts: Vec<String>,
    pub bars: Vec<Bar>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Bar {
    /// A letter, or a few words.
    pub name: String,
    pub title: String,
    /// One for each part; nothing where the bar does not have it.
    pub values: Vec<Option<f64>>,
    /// The same for each single sample.
    pub samples: Vec<Vec<f64>>,
}

impl Doc {
    pub(crate) fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    pub(crate) fn heading(&mut self, rank: u8, text: impl Into<String>) {
        self.blocks.push(Block::Heading(rank, text.into()));
    }

    pub(crate) fn say(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Text(text.into()));
    }

    pub(crate) fn item(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Item(text.into()));
    }

    pub(crate) fn table(&mut self, table: Table) {
        self.blocks.push(Block::Table(table));
    }

    /// The number of a footnote: a new one, or that of the same text.
    pub(crate) fn footnote(&mut self, text: &str) -> usize {
        let known = self.footnotes.iter().position(|known| known == text);
        let index = known.unwrap_or_else(|| {
            self.footnotes.push(text.to_owned());
            self.footnotes.len() - 1
        });
        index + 1
    }

    /// Adds another document below. Only one of the two may have footnotes.
    pub(crate) fn append(&mut self, other: Self) {
        self.summary.extend(other.summary);
        self.blocks.extend(other.blocks);
        self.notes.extend(other.notes);
        self.footnotes.extend(other.footnotes);
    }

    /// All footnotes with their numbers, then the notes.
    pub(crate) fn all_notes(&self) -> impl Iterator<Item = String> {
        let numbered = (1..).zip(&self.footnotes).map(|(n, text)| format!("[{n}] {text}"));
        numbered.chain(self.notes.iter().cloned())
    }
}

impl Table {
    /// A table whose columns from the second on are figures.
    pub(crate) fn new(titles: &[&str]) -> Self {
        let columns = titles.iter().enumerate().map(|(index, title)| match index {
            0 => Column::text(*title),
            _ => Column::figure(*title),
        });
        Self { columns: columns.collect(), ..Self::default() }
    }

    /// The heading of the rows that follow.
    pub(crate) fn group(&mut self, title: impl Into<String>) {
        self.group_with(title, None);
    }

    /// The same with a cell beside it.
    pub(crate) fn group_with(&mut self, title: impl Into<String>, beside: Option<Cell>) {
        let title = Cell::new(title).tone(Tone::Strong);
        let cells = [title].into_iter().chain(beside).collect();
        self.rows.push(Row { cells, is_group: true, depth: 0 });
    }

    pub(crate) fn row<C: Into<Cell>>(&mut self, cells: impl IntoIterator<Item = C>) {
        self.deep_row(0, cells);
    }

    pub(crate) fn deep_row<C: Into<Cell>>(
        &mut self,
        depth: u8,
        cells: impl IntoIterator<Item = C>,
    ) {
        let cells = cells.into_iter().map(Into::into).collect();
        self.rows.push(Row { cells, is_group: false, depth });
    }

    /// Takes out the columns in which no row has a text.
    pub(crate) fn without_empty_columns(mut self) -> Self {
        for index in (0..self.columns.len()).rev() {
            let has_text = |row: &Row| row.cells.get(index).is_some_and(|c| !c.text.is_empty());
            if !self.rows.iter().any(has_text) {
                self.columns.remove(index);
                for row in self.rows.iter_mut().filter(|row| row.cells.len() > index) {
                    row.cells.remove(index);
                }
            }
        }
        self
    }
}

impl Column {
    pub(crate) fn text(title: impl Into<String>) -> Self {
        Self { title: title.into(), align: Align::Left, keep: Keep::Always, about: "" }
    }

    pub(crate) fn figure(title: impl Into<String>) -> Self {
        Self { align: Align::Right, ..Self::text(title) }
    }

    pub(crate) fn keep(self, keep: Keep) -> Self {
        Self { keep, ..self }
    }

    pub(crate) fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }
}

impl Cell {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    pub(crate) fn tone(self, tone: Tone) -> Self {
        Self { tone, ..self }
    }

    pub(crate) fn note(self, number: usize) -> Self {
        Self { note: Some(number), ..self }
    }

    /// The text, and the number of its footnote: "unavailable [1]".
    pub(crate) fn full(&self) -> String {
        match self.note {
            Some(number) => format!("{} [{number}]", self.text),
            None => self.text.clone(),
        }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::new(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_text_has_one_number() {
        let mut doc = Doc::new("");
        assert_eq!(["a", "b", "a"].map(|text| doc.footnote(text)), [1, 2, 1]);
        doc.notes.push("c".to_owned());
        assert_eq!(doc.all_notes().collect::<Vec<_>>(), ["[1] a", "[2] b", "c"]);
    }

    #[test]
    fn a_column_without_a_text_goes() {
        let mut table = Table::new(&["a", "b", "c"]);
        table.group("g");
        table.row(["1", "", "3"]);
        table.row(["4"]);
        let table = table.without_empty_columns();
        assert_eq!(table.columns.len(), 2);
        assert_eq!(table.rows[1].cells, ["1", "3"].map(Cell::from));
        assert_eq!(table.rows[2].cells, ["4"].map(Cell::from));
    }
}
