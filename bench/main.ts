import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { measureColdImport } from './cold-import/measure-cold-import.ts'
import { measureDurableQueue } from './durable-queue/measure-durable-queue.ts'
import { measurePostgresQueue } from './durable-queue/measure-postgres-queue.ts'
import { measureFleet } from './fleet/measure-fleet.ts'
import { measureHeldPolls } from './fleet/measure-held-polls.ts'
import { measureSimulation } from './fleet/measure-simulation.ts'
import { measureFileSearch } from './file-search/measure-file-search.ts'
import { measureHttp } from './http/measure-http.ts'
import { operationNames } from './http/requests.ts'
import { measureJournal } from './journal/measure-journal.ts'
import type { Measurement } from './measurement.ts'
import { measureMemorySearch } from './memory-search/measure-memory-search.ts'
import { measureMemory } from './memory/measure-memory.ts'
import { printTable } from './print-table.ts'
import { measureResume } from './resume/measure-resume.ts'
import { measureRunLoop } from './run-loop/measure-run-loop.ts'
import { measureSchedules } from './schedules/measure-schedules.ts'
import { measureSkills } from './skills/measure-skills.ts'

const parts = [
  ...operationNames,
  'memory',
  'files',
  'run-loop',
  'import',
  'skills',
  'memory-search',
  'journal',
  'durable-queue',
  'postgres-queue',
  'schedules',
  'resume',
  'fleet',
  'held-polls',
  'simulation',
] as const
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
  ? {
      http: { devices: 5000, rounds: 3 },
      devices: 10_000,
      files: 20_000,
      rounds: 3,
      runLoop: { runs: 25, rounds: 5 },
      search: { texts: 20_000, questions: 100 },
      schedules: { schedules: 10_000, idleSeconds: 10 },
      queue: { tasks: 2000, rounds: 3, starts: 100 },
      postgresQueue: { tasks: 500, rounds: 3, starts: 45 },
      journal: { events: 100_000, rounds: 3 },
      fleet: { devices: 100_000, active: 4000, rounds: 2 },
      simulated: 500,
    }
  : {
      http: { devices: 10_000, rounds: 5 },
      devices: 100_000,
      files: 200_000,
      rounds: 5,
      runLoop: { runs: 100, rounds: 9 },
      search: { texts: 100_000, questions: 500 },
      schedules: { schedules: 10_000, idleSeconds: 70 },
      queue: { tasks: 5000, rounds: 5, starts: 200 },
      postgresQueue: { tasks: 5000, rounds: 3, starts: 150 },
      journal: { events: 100_000, rounds: 5 },
      fleet: { devices: 100_000, active: 10_000, rounds: 2 },
      simulated: 2000,
    }
const skills = 1000
const steps = 1000

const measurements: Measurement[] = []
const operations = operationNames.filter((name) => only.includes(name))
for (const storeKind of storeKinds) {
  if (operations.length > 0) measurements.push(...(await measureHttp(storeKind, operations, size.http)))
  if (only.includes('memory')) measurements.push(await measureMemory(storeKind, size.devices))
}
if (only.includes('files')) measurements.push(...(await measureFileSearch(size.files, size.rounds)))
if (only.includes('run-loop')) measurements.push(...(await measureRunLoop(size.runLoop)))
if (only.includes('import')) measurements.push(...(await measureColdImport(3 * size.rounds)))
if (only.includes('skills')) measurements.push(...(await measureSkills(skills, size.rounds)))
if (only.includes('memory-search')) measurements.push(...(await measureMemorySearch(size.search)))
if (only.includes('journal')) measurements.push(...(await measureJournal(size.journal)))
if (only.includes('schedules')) measurements.push(...(await measureSchedules(size.schedules)))
if (only.includes('resume')) measurements.push(...(await measureResume(steps, size.rounds)))
if (only.includes('durable-queue')) measurements.push(...(await measureDurableQueue(size.queue)))
if (only.includes('postgres-queue')) measurements.push(...(await measurePostgresQueue(size.postgresQueue)))
if (only.includes('fleet')) measurements.push(...(await measureFleet(size.fleet)))
if (only.includes('simulation')) measurements.push(...(await measureSimulation(size.simulated, 1)))
if (only.includes('held-polls')) measurements.push(...(await measureHeldPolls(size.devices)))

const machine = { cpus: availableParallelism(), node: process.version }
console.log(JSON.stringify({ at: new Date().toISOString(), ...machine, quick: values.quick, measurements }))
console.log(`\n${machine.cpus} CPUs, Node ${machine.node}`)
printTable(measurements)
