//! JSON as a tree that is read key by key, with the place of whatever is wrong.
//!
//! Witnesses come from anywhere. What they say wrongly is told in the words of their format: `certificate.symbols[2].word: not a number`.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;

#[derive(Debug)]
enum Tree {
    Null,
    Flag(bool),
    Number(i128),
    /// With a fraction, or too large.
    Other,
    Text(String),
    List(Vec<Tree>),
    /// Every key with its value, as often as it stands there.
    Object(Vec<(String, Tree)>),
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Tree, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Tree;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }

            fn visit_unit<E>(self) -> Result<Tree, E> {
                Ok(Tree::Null)
            }

            fn visit_bool<E>(self, flag: bool) -> Result<Tree, E> {
                Ok(Tree::Flag(flag))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Tree, E> {
                Ok(Tree::Number(number.into()))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Tree, E> {
                Ok(Tree::Number(number.into()))
            }

            fn visit_f64<E>(self, _: f64) -> Result<Tree, E> {
                Ok(Tree::Other)
            }

            fn visit_str<E>(self, text: &str) -> Result<Tree, E> {
                Ok(Tree::Text(text.into()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Tree, A::Error> {
                let mut list = Vec::new();
                while let Some(item) = from.next_element()? {
                    list.push(item);
                }
                Ok(Tree::List(list))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Tree, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = from.next_entry()? {
                    entries.push(entry);
                }
                Ok(Tree::Object(entries))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// A text that is JSON.
#[derive(Debug)]
pub(crate) struct Document(Tree);

/// A value of the document and the way to it.
#[derive(Debug, Clone)]
pub(crate) struct Node<'t> {
    tree: &'t Tree,
    place: String,
}

impl Document {
    pub fn read(text: &str) -> Result<Document, String> {
        serde_json::from_str(text).map(Document).map_err(|e| format!("this is no JSON: {e}"))
    }

    pub fn root(&self) -> Node<'_> {
        Node { tree: &self.0, place: String::new() }
    }
}

impl<'t> Node<'t> {
    /// What is wrong here.
    pub fn wrong<T>(&self, what: impl fmt::Display) -> Result<T, String> {
        if self.place.is_empty() { Err(what.to_string()) } else { Err(format!("{}: {what}", self.place)) }
    }

    /// An object that has no keys but these, and each at most once.
    pub fn object(&self, keys: &[&str]) -> Result<&Self, String> {
        let Tree::Object(entries) = self.tree else { return self.wrong("not an object") };
        for (i, (key, _)) in entries.iter().enumerate() {
            if !keys.contains(&key.as_str()) {
                return self.wrong(format!("the key `{key}` is not known here"));
            }
            if entries[..i].iter().any(|(other, _)| other == key) {
                return self.wrong(format!("the key `{key}` stands twice"));
            }
        }
        Ok(self)
    }

    /// The value of a key, if it is there.
    pub fn find(&self, key: &str) -> Option<Node<'t>> {
        let Tree::Object(entries) = self.tree else { return None };
        let (_, tree) = entries.iter().find(|(name, _)| name == key)?;
        let place = if self.place.is_empty() { key.into() } else { format!("{}.{key}", self.place) };
        Some(Node { tree, place })
    }

    pub fn get(&self, key: &str) -> Result<Node<'t>, String> {
        match self.find(key) {
            Some(node) => Ok(node),
            None => self.wrong(format!("the key `{key}` is missing")),
        }
    }

    pub fn list(&self) -> Result<Vec<Node<'t>>, String> {
        let Tree::List(items) = self.tree else { return self.wrong("not a list") };
        let node = |(i, tree)| Node { tree, place: format!("{}[{i}]", self.place) };
        Ok(items.iter().enumerate().map(node).collect())
    }

    /// Every item of the list under a key, read; nothing if the key is not there.
    pub fn items<T>(
        &self,
        key: &str,
        read: impl Fn(&Node<'t>) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        match self.find(key) {
            Some(list) => list.list()?.iter().map(read).collect(),
            None => Ok(Vec::new()),
        }
    }

    /// A list of exactly two.
    pub fn pair(&self) -> Result<(Node<'t>, Node<'t>), String> {
        let list = self.list()?;
        match <[Node<'t>; 2]>::try_from(list) {
            Ok([first, second]) => Ok((first, second)),
            Err(_) => self.wrong("not a list of two"),
        }
    }

    pub fn text(&self) -> Result<&'t str, String> {
        match self.tree {
            Tree::Text(text) => Ok(text),
            _ => self.wrong("not a text"),
        }
    }

    pub fn flag(&self) -> Result<bool, String> {
        match self.tree {
            Tree::Flag(flag) => Ok(*flag),
            _ => self.wrong("neither true nor false"),
        }
    }

    /// A number from the one to the other.
    pub fn number<N: TryFrom<i128>>(&self, least: N, most: N) -> Result<N, String>
    where
        i128: From<N>,
    {
        let (least, most) = (i128::from(least), i128::from(most));
        match self.tree {
            Tree::Number(number) if (least..=most).contains(number) => match N::try_from(*number) {
                Ok(number) => Ok(number),
                Err(_) => self.wrong(format!("{number} is no number from {least} to {most}")),
            },
            Tree::Number(number) => self.wrong(format!("{number} is no number from {least} to {most}")),
            Tree::Other => self.wrong(format!("no whole number from {least} to {most}")),
            Tree::Null | Tree::Flag(_) | Tree::Text(_) | Tree::List(_) | Tree::Object(_) => {
                self.wrong("not a number")
            }
        }
    }
}
