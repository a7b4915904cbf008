import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { exampleFile, failuresOf, hasProgram } from './run-conformance.ts'

// To run these, install Python 3.8 or newer, Go 1.19 or newer, and gcc with the headers of libcurl and cJSON.
const hasPython = hasProgram('python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 8))')
const hasGo = hasProgram('go', 'version')
const hasLibraries = hasProgram(
  'sh',
  '-c',
  'printf "#include <curl/curl.h>\\n#include <cjson/cJSON.h>" | gcc -E - ',
)

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'homeward-example-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe.skipIf(!hasPython)('the example in Python, which needs python3', () => {
  it('passes the levels chunked and work of the conformance runner', async () => {
    expect(await failuresOf('chunked,work', ['python3', exampleFile('python/device.py')])).toEqual([])
  })
})

describe.skipIf(!hasGo)('the example in Go, which needs go', () => {
  it('passes the levels chunked and work of the conformance runner', async () => {
    const program = join(createFolder(), 'device')
    execFileSync('go', ['build', '-o', program, '.'], { cwd: exampleFile('go') })
    expect(await failuresOf('chunked,work', [program])).toEqual([])
  })
})

describe.skipIf(!hasLibraries)('the example in C, which needs gcc, libcurl and cJSON', () => {
  it('passes the level work of the conformance runner', async () => {
    const program = join(createFolder(), 'device')
    const sources = ['device.c', 'cloud.c', 'searches.c', 'uploads.c'].map((name) => exampleFile(`c/${name}`))
    execFileSync('gcc', ['-std=c11', '-O2', '-o', program, ...sources, '-lcurl', '-lcjson', '-lm'])
    expect(await failuresOf('work', [program])).toEqual([])
  })
})
