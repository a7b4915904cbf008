import type { Measurement } from './measurement.ts'

/** What a table of measurements shows of each. */
export const columns = ['', 'value', 'floor', 'ratio', 'cpu ratio', 'target', ''] as const

/** Writes the measurements for people, one a line. */
export function printTable(measurements: readonly Measurement[]): void {
  const rows = [columns, ...measurements.map(toCells)]
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => row[index]!.length)))
  for (const row of rows) {
    const cells = row.map((cell, index) =>
      index === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[index]!),
    )
    console.log(cells.join('  ').trimEnd())
  }
}

/** The cells of one measurement. */
export function toCells({
  name,
  value,
  floor,
  unit,
  ratio,
  cpuRatio,
  target,
  passed,
}: Measurement): readonly string[] {
  return [
    name,
    `${value.toLocaleString('en')} ${unit}`,
    floor === undefined ? '' : floor.toLocaleString('en'),
    ratio === undefined ? '' : ratio.toFixed(2),
    cpuRatio === undefined ? '' : cpuRatio.toFixed(2),
    target === undefined ? '' : 'atLeast' in target ? `>= ${target.atLeast}` : `<= ${target.atMost}`,
    passed === undefined ? '' : passed ? 'ok' : 'MISSED',
  ]
}
