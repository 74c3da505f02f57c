//! Operations as they stand in the log: one line of JSON each, which Node reads.

use std::fmt::Write;

/// A line of the log, and of what Node is asked. Values are put behind each other; keys are plain words.
pub struct Line(String);

impl Line {
    pub fn op(seq: u64, op: &str) -> Self {
        let mut line = Line(String::with_capacity(160));
        let _ = write!(line.0, "{{\"seq\":{seq},\"op\":\"{op}\"");
        line
    }

    pub fn ask(ask: u64, what: &str) -> Self {
        let mut line = Line(String::with_capacity(80));
        let _ = write!(line.0, "{{\"ask\":{ask},\"what\":\"{what}\"");
        line
    }

    pub fn text(mut self, key: &str, value: &str) -> Self {
        let _ = write!(self.0, ",\"{key}\":");
        quote(&mut self.0, value);
        self
    }

    pub fn optional(self, key: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.text(key, value),
            None => self,
        }
    }

    /// Of a number that JavaScript holds exactly.
    pub fn number(mut self, key: &str, value: u64) -> Self {
        let _ = write!(self.0, ",\"{key}\":{value}");
        self
    }

    /// Only where it is so.
    pub fn flag(mut self, key: &str, is_so: bool) -> Self {
        if is_so {
            let _ = write!(self.0, ",\"{key}\":true");
        }
        self
    }

    /// Nanoseconds, as the text that the port has.
    pub fn time(mut self, key: &str, value: i64) -> Self {
        let _ = write!(self.0, ",\"{key}\":\"{value}\"");
        self
    }

    /// Names and values in hex.
    pub fn xattrs<'a>(mut self, all: impl Iterator<Item = (&'a String, &'a Vec<u8>)>) -> Self {
        self.0.push_str(",\"xattrs\":[");
        for (index, (name, value)) in all.enumerate() {
            if index > 0 {
                self.0.push(',');
            }
            self.0.push('[');
            quote(&mut self.0, name);
            self.0.push_str(",\"");
            for byte in value {
                let _ = write!(self.0, "{byte:02x}");
            }
            self.0.push_str("\"]");
        }
        self.0.push(']');
        self
    }

    pub fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

fn quote(to: &mut String, text: &str) {
    to.push('"');
    for character in text.chars() {
        match character {
            '"' => to.push_str("\\\""),
            '\\' => to.push_str("\\\\"),
            c if (c as u32) < 0x20 => {
                let _ = write!(to, "\\u{:04x}", c as u32);
            }
            c => to.push(c),
        }
    }
    to.push('"');
}

#[cfg(test)]
mod tests {
    use super::Line;

    #[test]
    fn a_line_is_json_whatever_is_in_a_name() {
        let line = Line::op(7, "create").text("name", "a\"b\\c\n\u{1}é").time("mtime", -5).end();
        assert_eq!(line, "{\"seq\":7,\"op\":\"create\",\"name\":\"a\\\"b\\\\c\\u000a\\u0001é\",\"mtime\":\"-5\"}");
    }
}
