//! Members of a struct or union to offsets, as GCC lays them out on i386 and x86-64.

use super::super::scan::marker;
use super::{Lower, Res};
use craig_base::Span;
use craig_cfa::{Field, Name, RecordId, RecordKind, Type, TypeId};
use lang_c::ast;
use lang_c::span::Node;
use rustc_hash::FxHashSet;

/// A member before it has a place.
struct Member {
    name: Name,
    ty: TypeId,
    /// Width of a bit-field.
    bits: Option<u16>,
    packed: bool,
    aligned: Option<u64>,
    /// Alignment of the type where a typedef gives it.
    type_aligned: Option<u64>,
}

impl Member {
    /// Bytes that its type asks for.
    fn natural(&self, types: &craig_cfa::Types) -> u64 {
        self.type_aligned.unwrap_or(types.align_of(self.ty))
    }
}

impl<'a> Lower<'a> {
    pub fn lay_out(&mut self, record: RecordId, declarations: &'a [Node<ast::StructDeclaration>]) -> Res<()> {
        let mut members: Vec<Member> = Vec::new();
        let mut names = FxHashSet::default();
        let mut packed = false;
        let mut aligned = 1;
        let mut pack = u64::MAX;
        for declaration in declarations {
            self.pace.step()?;
            let ast::StructDeclaration::Field(field) = &declaration.node else { continue };
            let span = self.span(declaration);
            let (base, attributes) = self.specifier_qualifiers(&field.node.specifiers, span)?;
            if field.node.declarators.is_empty() && field.node.specifiers.iter().any(is_anonymous) {
                // An anonymous struct or union; its members are members of this one.
                members.push(Member {
                    name: "".into(),
                    ty: base,
                    bits: None,
                    packed: attributes.packed,
                    aligned: attributes.aligned,
                    type_aligned: attributes.type_aligned,
                });
            }
            for declarator in &field.node.declarators {
                let span = self.span(declarator);
                let mut member = Member {
                    name: "".into(),
                    ty: base,
                    bits: None,
                    packed: false,
                    aligned: None,
                    type_aligned: attributes.type_aligned,
                };
                let mut all = attributes;
                if let Some(d) = &declarator.node.declarator {
                    let declared = self.declarator(base, d)?;
                    if declared.vla.is_some() {
                        return self.error("the size of an array in a struct must be constant", span);
                    }
                    member.ty = declared.ty;
                    member.name = declared.name.map_or("", |n| n.node.name.as_str()).into();
                    member.type_aligned = self.inherited_alignment(base, attributes, declared.ty);
                    all.merge(declared.attributes);
                }
                if &*member.name == marker::PACKED {
                    packed = true;
                    continue;
                }
                if &*member.name == marker::OTHER_LAYOUT {
                    return self.error("members in another order of bytes or bits are not supported", span);
                }
                if &*member.name == marker::ALIGNED {
                    if let Type::Array { len: Some(n), .. } = self.p.types.get(member.ty) {
                        // The last one counts.
                        aligned = *n;
                    }
                    continue;
                }
                if &*member.name == marker::PACK {
                    if let Type::Array { len: Some(n), .. } = self.p.types.get(member.ty) {
                        pack = *n;
                    }
                    continue;
                }
                if let Some(width) = &declarator.node.bit_width {
                    member.bits = Some(self.bit_width(width, member.ty, span)?);
                }
                (member.packed, member.aligned) = (all.packed, all.aligned);
                if self.p.types.size_of(member.ty).is_none() {
                    return self.error(format!("member `{}` has a type without size", member.name), span);
                }
                if member.bits == Some(0) && !member.name.is_empty() {
                    return self.error("a bit-field of width 0 cannot have a name", span);
                }
                if !member.name.is_empty() && !names.insert(member.name.clone()) {
                    return self.error(format!("member `{}` is declared twice", member.name), span);
                }
                members.push(member);
            }
        }
        self.place_members(record, &members, packed, aligned, pack);
        Ok(())
    }

    fn bit_width(&mut self, width: &'a Node<ast::Expression>, ty: TypeId, span: Span) -> Res<u16> {
        let value = self.const_int(width)?;
        let Some(int) = self.p.types.as_int(ty) else {
            return self.error("a bit-field must be an integer", span);
        };
        if value < 0 || value > i128::from(int.width) {
            return self.error(format!("a bit-field of width {value} in a type of {} bits", int.width), span);
        }
        Ok(value as u16)
    }

    /// `pack`: the largest alignment that a member may ask for.
    fn place_members(&mut self, record: RecordId, members: &[Member], packed: bool, aligned: u64, pack: u64) {
        let kind = self.p.types.records[record].kind;
        let mut fields = Vec::new();
        // All positions in bits.
        let (mut position, mut end, mut align) = (0u64, 0u64, aligned.max(1));
        for member in members {
            let size = self.p.types.size_of(member.ty).unwrap_or(0) * 8;
            let packed = packed || member.packed;
            let unit = member.natural(&self.p.types).min(pack);
            let natural = if packed { 1 } else { unit };
            let natural = natural.max(member.aligned.unwrap_or(1)).min(pack);
            if kind == RecordKind::Union {
                position = 0;
            }
            match member.bits {
                Some(0) => {
                    // Ends the unit; an unnamed field does not align the record.
                    position = position.next_multiple_of(member.natural(&self.p.types) * 8);
                    continue;
                }
                Some(bits) => {
                    // GCC's place_field and update_alignment_for_field: under `#pragma pack` fields go where they come, and also
                    // a packed one aligns the record.
                    let under_pragma = pack < u64::MAX;
                    let aligns = if under_pragma { natural.max(unit) } else { natural };
                    let unit = unit * 8;
                    // GCC's excess_unit_span: a field may not cover more units than its type has.
                    let covered = (position % unit + u64::from(bits)).div_ceil(unit);
                    if !packed && !under_pragma && covered > size / unit {
                        position = position.next_multiple_of(unit);
                    }
                    if let Some(n) = member.aligned {
                        position = position.next_multiple_of(n.min(pack) * 8);
                    }
                    let declared = self.p.types.as_int(member.ty).expect("bit-fields are integers");
                    let is_bool = declared.width == 1;
                    if !member.name.is_empty() {
                        if is_bool {
                            self.bool_fields.insert((record, fields.len() as u32));
                        }
                        let ty = self.p.types.int(bits, declared.signed);
                        fields.push(Field {
                            name: member.name.clone(),
                            ty,
                            offset: position / 8,
                            bit: Some((position % 8) as u8),
                        });
                        align = align.max(aligns);
                    }
                    position += u64::from(bits);
                }
                None => {
                    position = position.next_multiple_of(natural * 8);
                    let offset = position / 8;
                    fields.push(Field { name: member.name.clone(), ty: member.ty, offset, bit: None });
                    align = align.max(natural);
                    position += size;
                }
            }
            end = end.max(position);
        }
        let end = end.max(position);
        let r = &mut self.p.types.records[record];
        r.fields = fields;
        r.size = end.div_ceil(8).next_multiple_of(align);
        r.align = align;
        r.complete = true;
    }

    /// The path of field indices to a member, through anonymous members.
    pub fn member_path(&self, record: RecordId, name: &str) -> Option<Vec<u32>> {
        let fields = &self.p.types.records[record].fields;
        if let Some(i) = fields.iter().position(|f| &*f.name == name) {
            return Some(vec![i as u32]);
        }
        fields.iter().enumerate().filter(|(_, f)| f.name.is_empty()).find_map(|(i, f)| {
            let mut path = self.member_path(self.record_of(f.ty)?, name)?;
            path.insert(0, i as u32);
            Some(path)
        })
    }
}

/// A struct or union with members and without a tag. One with a tag, alone, declares only the tag.
fn is_anonymous(specifier: &Node<ast::SpecifierQualifier>) -> bool {
    match &specifier.node {
        ast::SpecifierQualifier::TypeSpecifier(t) => match &t.node {
            ast::TypeSpecifier::Struct(s) => s.node.identifier.is_none() && s.node.declarations.is_some(),
            _ => false,
        },
        _ => false,
    }
}
