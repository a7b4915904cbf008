import { readFile, writeFile } from 'node:fs/promises'
import { formatText } from '../scripts/format-text.ts'
import { describeMachine, type Machine } from './describe-machine.ts'
import type { Measurement } from './measurement.ts'
import { columns, toCells } from './print-table.ts'

const page = 'docs/benchmarks.md'
const pageUrl = new URL(`../${page}`, import.meta.url)

/** How a part was measured. */
interface Measured {
  /** The machine before the part began. */
  readonly before: Machine
  readonly isQuick: boolean
}

/**
 * Writes what a part measured into docs/benchmarks.md, in the place of what it measured last.
 *
 * @throws {Error} when the page has no place for this part.
 */
export async function recordPart(
  name: string,
  measurements: readonly Measurement[],
  measured: Measured,
): Promise<void> {
  const text = await readFile(pageUrl, 'utf8')
  const begin = `<!-- measured: ${name} -->\n`
  const from = text.indexOf(begin)
  const to = text.indexOf('<!-- end -->', from)
  if (from === -1 || to === -1) throw new Error(`Recording ${name}: ${page} has no place for it`)
  const section = `\n${toCaption(measured)}\n\n${toTable(measurements)}\n\n`
  const recorded = text.slice(0, from + begin.length) + section + text.slice(to)
  await writeFile(pageUrl, await formatText(page, recorded))
}

function toCaption({ before, isQuick }: Measured): string {
  const { cpus, model, node, load } = before
  const day = new Date().toISOString().slice(0, 10)
  const size = isQuick ? ', `--quick`' : ''
  return `${day}, ${cpus} cores (${model}), Node ${node.slice(1)}${size}; load ${load} before, ${describeMachine().load} after.`
}

function toTable(measurements: readonly Measurement[]): string {
  const rows = measurements.map(toCells)
  const isUsed = columns.map((_, index) => index === 0 || rows.some((row) => row[index] !== ''))
  const toLine = (cells: readonly string[]) => `| ${cells.filter((_, index) => isUsed[index]).join(' | ')} |`
  const rule = columns.map((_, index) => (index === 0 ? '---' : '--:'))
  return [columns, rule, ...rows].map(toLine).join('\n')
}
