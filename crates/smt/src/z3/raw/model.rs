//! Models: reading them and making them. The ground rules of soundness are those of the parent module.
#![allow(unsafe_code, reason = "calls of Z3's C interface")]

use super::{Ast, Context, Decl, Result};
use z3_sys::*;

/// A model; borrows its context.
pub struct Model<'c> {
    pub(super) ctx: &'c Context,
    pub(super) model: Z3_model,
}

impl Drop for Model<'_> {
    fn drop(&mut self) {
        // SAFETY: taken when the guard was made.
        unsafe { Z3_model_dec_ref(self.ctx.ctx, self.model) };
    }
}

/// A model under construction.
pub struct ModelBuilder<'c>(Model<'c>);

impl<'c> ModelBuilder<'c> {
    pub fn new(ctx: &'c Context) -> Result<Self> {
        // SAFETY: plain construction; the guard gives the reference back.
        unsafe {
            let Some(model) = Z3_mk_model(ctx.ctx) else { return Err(ctx.fault()) };
            Z3_model_inc_ref(ctx.ctx, model);
            Ok(ModelBuilder(Model { ctx, model }))
        }
    }

    /// Gives a constant its value.
    pub fn constant(&mut self, constant: Ast, value: Ast) {
        let c = self.0.ctx.ctx;
        // SAFETY: a constant is an application with a declaration.
        unsafe {
            if let Some(decl) = Z3_to_app(c, constant).and_then(|app| Z3_get_app_decl(c, app)) {
                Z3_add_const_interp(c, self.0.model, decl, value);
            }
        }
    }

    pub fn function(&mut self, decl: Decl, default: Ast, entries: &[(Vec<Ast>, Ast)]) -> Result<()> {
        let c = self.0.ctx.ctx;
        // SAFETY: living handles; what is interpreted belongs to the model, but the handle of the interpretation lives until the next object is made,
        // unless it is held; the argument vectors live in the calls.
        unsafe {
            let Some(f) = Z3_add_func_interp(c, self.0.model, decl, default) else {
                return Err(self.0.ctx.fault());
            };
            Z3_func_interp_inc_ref(c, f);
            let mut result = Ok(());
            for (args, value) in entries {
                let Some(vector) = Z3_mk_ast_vector(c) else {
                    result = Err(self.0.ctx.fault());
                    break;
                };
                Z3_ast_vector_inc_ref(c, vector);
                for arg in args {
                    Z3_ast_vector_push(c, vector, *arg);
                }
                Z3_func_interp_add_entry(c, f, vector, *value);
                Z3_ast_vector_dec_ref(c, vector);
            }
            Z3_func_interp_dec_ref(c, f);
            result
        }
    }

    pub fn finish(self) -> Model<'c> {
        self.0
    }
}

/// The meaning of a function in a model.
pub struct FunctionView {
    pub entries: Vec<(Vec<Ast>, Ast)>,
    pub otherwise: Option<Ast>,
}

impl Model<'_> {
    /// The value of a Boolean term; constants that the model does not mention get some value, always the same one.
    pub fn truth(&self, ast: Ast) -> Option<bool> {
        let mut value = ast;
        // SAFETY: a living model and a term of its context; the result is read before anything else is called.
        unsafe {
            if !Z3_model_eval(self.ctx.ctx, self.model, ast, true, &mut value) {
                return None;
            }
            match Z3_get_bool_value(self.ctx.ctx, value) {
                Z3_L_TRUE => Some(true),
                Z3_L_FALSE => Some(false),
                _ => None,
            }
        }
    }

    /// The constants with a value; the values live as long as the model.
    pub fn constants(&self) -> Vec<(Decl, Ast)> {
        let c = self.ctx.ctx;
        // SAFETY: positions below the number Z3 reports.
        unsafe {
            (0..Z3_model_get_num_consts(c, self.model))
                .filter_map(|i| {
                    let decl = Z3_model_get_const_decl(c, self.model, i)?;
                    Some((decl, Z3_model_get_const_interp(c, self.model, decl)?))
                })
                .collect()
        }
    }

    pub fn functions(&self) -> Vec<Decl> {
        let c = self.ctx.ctx;
        // SAFETY: positions below the number Z3 reports.
        unsafe {
            (0..Z3_model_get_num_funcs(c, self.model))
                .filter_map(|i| Z3_model_get_func_decl(c, self.model, i))
                .collect()
        }
    }

    pub fn function(&self, decl: Decl) -> Option<FunctionView> {
        let c = self.ctx.ctx;
        // SAFETY: the interpretation belongs to the model, which lives; positions are below the numbers reported.
        unsafe {
            let f = Z3_model_get_func_interp(c, self.model, decl)?;
            Z3_func_interp_inc_ref(c, f);
            let mut entries = Vec::new();
            for i in 0..Z3_func_interp_get_num_entries(c, f) {
                let Some(entry) = Z3_func_interp_get_entry(c, f, i) else { continue };
                Z3_func_entry_inc_ref(c, entry);
                let args = (0..Z3_func_entry_get_num_args(c, entry))
                    .filter_map(|j| Z3_func_entry_get_arg(c, entry, j))
                    .collect();
                if let Some(value) = Z3_func_entry_get_value(c, entry) {
                    entries.push((args, value));
                }
                Z3_func_entry_dec_ref(c, entry);
            }
            let otherwise = Z3_func_interp_get_else(c, f);
            Z3_func_interp_dec_ref(c, f);
            Some(FunctionView { entries, otherwise })
        }
    }

    /// The function behind an array value of the form `(_ as-array f)`.
    pub fn as_array(&self, ast: Ast) -> Option<FunctionView> {
        let c = self.ctx.ctx;
        // SAFETY: a living handle; the second call follows the first.
        let decl = unsafe {
            if !Z3_is_as_array(c, ast) {
                return None;
            }
            Z3_get_as_array_func_decl(c, ast)?
        };
        self.function(decl)
    }
}
