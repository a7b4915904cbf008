#!/usr/bin/env node
import { judge } from './judge.ts'
import { usage, UsageError } from './options.ts'

// stdout belongs to the results, so that `--format junit > report.xml` writes nothing else
try {
  process.exitCode = await judge(process.argv.slice(2), {
    environment: process.env,
    write: (text) => void process.stdout.write(text),
    tell: (line) => console.error(line),
  })
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  if (error instanceof UsageError) console.error(`\n${usage}`)
  process.exitCode = 2
}
