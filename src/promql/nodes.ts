/** Offsets into a text, `to` exclusive. */
export type Span = { from: number; to: number }

/** A node of an expression: `name` as the grammar calls it, `text` what it spans; comments are left out. */
export type PromqlNode = Span & { name: string; text: string; children: PromqlNode[] }
