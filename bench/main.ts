import { parseArgs } from 'node:util'
import type { Measurement } from './measurement.ts'
import { partNames, parts, type PartName } from './parts.ts'
import { printTable } from './print-table.ts'
import { recordPart } from './record-part.ts'
import { describeMachine } from './describe-machine.ts'

const usage = `npm run bench -- [--only part,...] [--quick] [--record] [--list]   parts: ${partNames.join(', ')}`

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
})
if (values.list) {
  console.log(partNames.join('\n'))
  process.exit(0)
}
const only: readonly string[] = values.only?.split(',') ?? partNames
const isPart = (name: string): name is PartName => (partNames as readonly string[]).includes(name)
const unknown = only.filter((name) => !isPart(name))
if (unknown.length > 0) {
  console.error(`Choosing what to measure: there is no part "${unknown.join(', ')}".\n${usage}`)
  process.exit(2)
}

const measurements: Measurement[] = []
for (const name of partNames) {
  if (!only.includes(name)) continue
  const before = describeMachine()
  const found = await parts[name](values.quick)
  measurements.push(...found)
  // What is recorded can be lost to no later part.
  if (values.record) await recordPart(name, found, { before, isQuick: values.quick })
}

const machine = describeMachine()
console.log(JSON.stringify({ at: new Date().toISOString(), ...machine, quick: values.quick, measurements }))
console.log(`\n${machine.cpus} CPUs, Node ${machine.node}`)
printTable(measurements)
