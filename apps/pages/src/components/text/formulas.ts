import type { Options } from 'react-markdown'
import rehypeKatex from 'rehype-katex'
import remarkMath from 'remark-math'

/** Reads `$$…$$` as a formula; what `markFormulas` has not marked stays text. */
export const readFormulas: NonNullable<Options['remarkPlugins']> = [
  [remarkMath, { singleDollarTextMath: false }],
]

/** Lays formulas out as MathML, which needs no fonts and no styles. Commands that lead elsewhere do nothing. */
export const showFormulas: NonNullable<Options['rehypePlugins']> = [
  [rehypeKatex, { output: 'mathml', trust: false, strict: 'ignore', maxSize: 20, maxExpand: 300 }],
]
