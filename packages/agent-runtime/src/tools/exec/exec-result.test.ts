import { expect, it } from 'vitest'
import { createRedactor } from '../../secrets/redact.ts'
import { createBoundedOutput } from './bounded-output.ts'
import { toExecResult } from './exec-tool.ts'

function resultOf(
  written: string | Buffer,
  said: string | Buffer,
  {
    maxOutputBytes = 1000,
    maxResultBytes = maxOutputBytes,
    output = 'text',
  }: { maxOutputBytes?: number; maxResultBytes?: number; output?: 'text' | 'json' } = {},
) {
  const streams = [written, said].map((content) => {
    const stream = createBoundedOutput(maxOutputBytes)
    stream.add(Buffer.from(content))
    return stream
  })
  const [stdout = createBoundedOutput(0), stderr = createBoundedOutput(0)] = streams
  const outcome = { exitCode: 0, stdout, stderr, timedOut: false }
  const redactor = createRedactor(['secret-4711'])
  return toExecResult(outcome, { maxOutputBytes, maxResultBytes, output, redactor, durationMs: 12.4 })
}

it('A16: loses nothing of what is no UTF-8 but the characters that nobody can read', () => {
  const result = resultOf(Buffer.from('Größe out', 'latin1'), Buffer.from('Größe err', 'latin1'))
  expect(result).toMatchObject({
    stdout: 'Gr\uFFFD\uFFFDe out',
    stderr: 'Gr\uFFFD\uFFFDe err',
    truncated: false,
  })
})

it('A16: both streams share the limit, and a long stdout leaves an error message a quarter', () => {
  expect(resultOf('o'.repeat(100), 'e'.repeat(100), { maxOutputBytes: 100 })).toMatchObject({
    stdout: 'o'.repeat(75),
    stderr: 'e'.repeat(25),
    truncated: true,
  })
  expect(resultOf('o'.repeat(90), 'e'.repeat(10), { maxOutputBytes: 100 })).toMatchObject({
    stdout: 'o'.repeat(90),
    stderr: 'e'.repeat(10),
    truncated: false,
  })
})

it('A16: says that it was cut when the marks of what is no text take too much room', () => {
  expect(resultOf(Buffer.from('é'.repeat(50), 'latin1'), '', { maxOutputBytes: 60 })).toMatchObject({
    stdout: '\uFFFD'.repeat(20),
    truncated: true,
  })
})

it('A16: JSON that is nested too deeply is an error that keeps what the program wrote', () => {
  const stdout = `${'['.repeat(20_000)}"secret-4711"${']'.repeat(20_000)}`
  const result = resultOf(stdout, '', { maxOutputBytes: 100_000, output: 'json' })
  expect(result).toMatchObject({ ok: false, exitCode: 0, error: expect.stringContaining('too deeply') })
  expect(result).toMatchObject({ stdout: stdout.replace('secret-4711', '[secret]') })
  expect(result).not.toHaveProperty('data')
})

it('A16: a tool keeps no more than any result may have, and its fields stay whole', () => {
  const bounds = { maxOutputBytes: 10_000, maxResultBytes: 100 }
  expect(resultOf('o'.repeat(5000), 'e', bounds)).toMatchObject({
    ok: true,
    stdout: 'o'.repeat(99),
    stderr: 'e',
    truncated: true,
  })
  expect(resultOf(`"${'o'.repeat(5000)}"`, '', { ...bounds, output: 'json' })).toMatchObject({
    ok: false,
    error: expect.stringContaining('not complete JSON'),
  })
})

it('A16: shows no part of a secret in whose midst it was cut', () => {
  const said = `${'e'.repeat(90)}secret-4711`
  expect(resultOf('', said, { maxOutputBytes: 100 })).toMatchObject({
    stderr: `${'e'.repeat(90)}[secret]`,
    truncated: true,
  })
})

it('A16: stdout gives way to its JSON where there is no room for both', () => {
  const data = ['o'.repeat(500)]
  const json = (maxOutputBytes: number) =>
    resultOf(JSON.stringify(data), 'note', { maxOutputBytes, output: 'json' })
  expect(json(1011)).toMatchObject({ ok: true, stdout: '', stderr: 'note', truncated: false, data })
  expect(json(1012)).toMatchObject({ ok: true, stdout: JSON.stringify(data), data })
})
