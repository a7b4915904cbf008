import { layoutBlocks } from './layout-blocks.ts'
import type { TextFormat } from './layout-blocks.ts'
import type { Block } from './markdown-tree.ts'

/** Markdown as text for people: without its marks, addresses of links behind their words. */
export function toPlainText(blocks: readonly Block[]): string {
  return layoutBlocks(blocks, format)
}

const same = (text: string) => text

const format: TextFormat = {
  text: same,
  code: same,
  strong: same,
  emphasis: same,
  strike: same,
  link: (inner, href) =>
    inner === '' || inner === href || `mailto:${inner}` === href
      ? href.replace(/^mailto:/, '')
      : `${inner} (${href})`,
  heading: same,
  codeBlock: same,
  quote: (inner) => `> ${inner.replaceAll('\n', '\n> ')}`,
  rule: '———',
}
