//! A store. file.close() in a comment is no call.
use std::collections::{HashMap, HashSet as Set};
use std::fmt::*;

const LIMIT: usize = 10;
static mut COUNT: u32 = 0;

#[derive(Debug, Clone)]
pub struct Item<T> {
    pub name: String,
    count: T,
}

pub enum Level {
    Low,
    High(i32),
    Other { reason: &'static str },
}

pub trait Visitor: Send {
    type Output;
    fn visit(&self, item: &Item<i32>) -> Self::Output;
}

impl<T: Copy> Item<T> {
    pub fn new(name: &str, count: T) -> Self {
        Item { name: name.to_string(), count }
    }

    pub(crate) async fn load(&mut self, path: &str) -> Result<usize, Error> {
        let mut file = open(path)?;
        if let Some(line) = file.next() {
            println!("{}: file.close()", line);
        } else {
            return Err(Error::Empty);
        }
        let size = match file.size() {
            Ok(size) if size > LIMIT => size,
            Ok(_) | Err(Error::Empty) => 0,
            Err(error) => return Err(error.into()),
        };
        for n in 0..size {
            unsafe { COUNT += n as u32 };
        }
        while let Some(line) = file.next() {
            self.log(&line, /* twice */ &line);
        }
        let Some(last) = file.last() else { return Ok(0) };
        let twice = |x: usize| x * 2;
        let names: Vec<String> = vec!["größer".into(), last.clone(),];
        #[cfg(test)]
        assert_eq!(size == size, true);
        file.close().await?;
        Ok(twice(names.len()))
    }
}

fn release(file: Option<File>, other: Option<File>) {
    if let Some(f) = file {
        drop(f);
    }
    if let Some(f) = file {
        drop(other);
    }
    drop(r"drop(file)");
}

mod tests {
    use super::*;

    #[test]
    fn works() {
        let item = Item { name: String::new(), ..Item::new("a", 1) };
        let mut set: Set<i32> = Set::new();
        loop {
            if set.insert(item.count) { break; }
        }
    }
}
