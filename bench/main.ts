import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { measureFileSearch } from './file-search/measure-file-search.ts'
import { measureHttp } from './http/measure-http.ts'
import { operationNames } from './http/requests.ts'
import type { Measurement } from './measurement.ts'
import { measureMemory } from './memory/measure-memory.ts'
import { printTable } from './print-table.ts'

const parts = [...operationNames, 'memory', 'files'] as const
const storeKinds = ['memory', 'sqlite'] as const
const usage = `npm run bench -- [--only part,...] [--quick]   parts: ${parts.join(', ')}`

const { values } = parseArgs({
  options: { only: { type: 'string' }, quick: { type: 'boolean', default: false } },
})
const only: readonly string[] = values.only?.split(',') ?? parts
const unknown = only.filter((name) => !(parts as readonly string[]).includes(name))
if (unknown.length > 0) {
  console.error(`Choosing what to measure: there is no part "${unknown.join(', ')}".\n${usage}`)
  process.exit(2)
}

const size = values.quick
  ? { http: { devices: 5000, rounds: 3 }, devices: 10_000, files: 20_000, rounds: 3 }
  : { http: { devices: 10_000, rounds: 5 }, devices: 100_000, files: 200_000, rounds: 5 }

const measurements: Measurement[] = []
const operations = operationNames.filter((name) => only.includes(name))
for (const storeKind of storeKinds) {
  if (operations.length > 0) measurements.push(...(await measureHttp(storeKind, operations, size.http)))
  if (only.includes('memory')) measurements.push(await measureMemory(storeKind, size.devices))
}
if (only.includes('files')) measurements.push(...(await measureFileSearch(size.files, size.rounds)))

const machine = { cpus: availableParallelism(), node: process.version }
console.log(JSON.stringify({ at: new Date().toISOString(), ...machine, quick: values.quick, measurements }))
console.log(`\n${machine.cpus} CPUs, Node ${machine.node}`)
printTable(measurements)
