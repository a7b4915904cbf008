#!/usr/bin/env node
// Reads on any Node: everything newer is loaded behind the check.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `Starting homeward failed: Node ${process.versions.node} is too old. Install Node 22.18 or newer.`,
  )
  process.exit(2)
}
const { runProcess } = await import('./run-process.ts')
await runProcess()
