import { describe, expect, it } from 'vitest'
import type { ProgramEnd, ProgramReport } from './program-messages.ts'
import { createProgramVm } from './program-vm.ts'

const start = { kind: 'start', tools: ['echo'], seed: 7, now: 1_700_000_000_000 } as const

/** Runs a program whose calls give their arguments back, a second later each. */
async function run(code: string, workMs = 1000): Promise<ProgramReport & { readonly count: number }> {
  const vm = createProgramVm(workMs)
  let report = await vm.step({ ...start, code })
  const open = [...report.calls]
  let count = 0
  for (let call = open.shift(); call; call = open.shift()) {
    count += 1
    const now = start.now + count * 1000
    report = await vm.step({ kind: 'settle', index: call.index, text: call.args, hasFailed: false, now })
    open.push(...report.calls)
  }
  return { ...report, count }
}

const valueOf = async (code: string) => {
  const { end } = await run(code)
  return end?.kind === 'value' ? (JSON.parse(end.value ?? 'null') as unknown) : end
}

const errorOf = async (code: string, workMs?: number) => {
  const { end } = await run(code, workMs)
  return end?.kind === 'error' ? end : undefined
}

describe('the clock and chance', () => {
  const code =
    '[Date.now(), new Date().getTimezoneOffset(), Math.random(), await tools.echo({}), Date.now(), Math.random()]'

  it('are the same each time, and move on with the calls', async () => {
    const [first, again] = [await valueOf(code), await valueOf(code)]
    expect(first).toEqual(again)
    expect(first).toMatchObject([start.now, 0, expect.any(Number), {}, start.now + 1000, expect.any(Number)])
    const other = await createProgramVm().step({ ...start, seed: 8, code: 'Math.random()' })
    expect(other.end).not.toMatchObject({ value: JSON.stringify((first as unknown[])[2]) })
  })

  it('cannot be reached around', async () => {
    expect(
      await valueOf('[+new (new Date().constructor)(), performance.now() === performance.now()]'),
    ).toEqual([start.now, true])
  })
})

describe('a hostile program', () => {
  it.each([
    ['an endless loop', 'for (;;);'],
    ['a loop that catches all', 'for (;;) try { for (;;); } catch {}'],
    ['a flood of microtasks', '(function more() { Promise.resolve().then(more) })()'],
    ['a regular expression that backtracks', '/^(a+)+$/.test("a".repeat(40) + "b")'],
    ['a loop in toJSON', 'await tools.echo({ toJSON() { for (;;); } })'],
    ['a loop in a thrown value', 'throw { toJSON() { for (;;); } }'],
  ])('is stopped: %s', async (_, code) => {
    expect(await errorOf(code, 60)).toMatchObject({
      message: expect.stringContaining('longer than 10 s'),
      isFatal: true,
    })
  })

  it.each([
    ['a list that grows', 'const all = []; for (;;) all.push(new Array(100000).fill(1))'],
    ['a huge string', '"x".repeat(2 ** 29)'],
    ['a huge buffer', 'new Uint8Array(70e6).length'],
  ])('gets no more than its memory: %s', async (_, code) => {
    const { message = '' } = (await errorOf(code)) ?? {}
    expect(message).toMatch(/64 MiB|RangeError|longer than/)
  })

  it('may recurse as deep as its stack', async () => {
    expect(await errorOf('(function deep() { return deep() + 1 })()')).toMatchObject({
      message: expect.stringContaining('call each other too deeply. Use a loop'),
      isFatal: true,
    })
  })

  it('cannot make more than 1,000 calls, however it catches', async () => {
    const { end, calls } = await createProgramVm().step({
      ...start,
      code: 'for (let n = 0; n < 10000; n += 1) try { tools.echo({ n }).catch(() => {}) } catch {}',
    })
    expect(calls).toHaveLength(1000)
    expect(end).toMatchObject({ isFatal: true, message: expect.stringContaining('more than 1000 calls') })
  })

  it('cannot pass giant arguments, or values that JSON does not have', async () => {
    expect(await errorOf('await tools.echo({ text: "x".repeat(300000) })')).toMatchObject({
      message: expect.stringContaining('at most 262144 characters'),
    })
    expect(await errorOf('const loop = {}; loop.loop = loop; await tools.echo(loop)')).toMatchObject({
      message: expect.stringContaining('circular'),
    })
    expect(await errorOf('await tools.echo({ n: 1n })')).toMatchObject({
      message: expect.stringContaining('BigInt'),
    })
  })

  it('reaches nothing of the host through what it is given', async () => {
    const code = `const found = []
      for (const value of [tools, tools.echo, console, console.log, globalThis])
        try { found.push(typeof value.constructor.constructor('return process')()) } catch (error) { found.push(error.name) }
      [...found, Object.isFrozen(tools), Object.getPrototypeOf(tools)]`
    const value = (await valueOf(code)) as unknown[]
    expect(value.slice(0, 5)).toEqual([
      expect.stringMatching(/Error/),
      ...Array.from({ length: 4 }, () => 'ReferenceError'),
    ])
    expect(value.slice(5)).toEqual([true, null])
  })

  it('harms only itself by changes of built-in objects', async () => {
    const code = `Object.prototype.then = (resolve) => resolve('stolen'); Map.prototype.get = () => ({ resolve() {}, reject() {} })
      JSON.stringify = () => 'no JSON'; Array.prototype.map = () => { throw 1 }; await tools.echo({ a: 1 })`
    const { end, count } = await run(code)
    expect(count).toBe(1)
    expect(end).toBeUndefined()
  })
})

describe('what comes back', () => {
  const chars = ({ end }: ProgramReport) => {
    const { value = '', log = '' } = (end ?? {}) as Partial<Extract<ProgramEnd, { kind: 'value' }>>
    return (JSON.parse(value || '""') as string).length + log.length
  }

  it('has at most 20,000 characters, the value first', async () => {
    for (const length of [15_000, 90_000])
      expect(chars(await run(`console.log("y".repeat(${length})); "x".repeat(${length})`))).toBeOneOf([
        19_998, 20_000,
      ])
    const { end } = await run('for (let n = 0; n < 1000; n += 1) console.log("y".repeat(100)); 5')
    expect(end).toMatchObject({ value: '5', log: expect.stringMatching(/… \[cut\]$/) })
  })

  it('shows values of all kinds in the log', async () => {
    const { end } = await run(
      'console.log(undefined, null, 1n, [1, { a: 2 }], new TypeError("bad"), () => 1)',
    )
    expect(end).toMatchObject({ log: 'undefined null 1 [1,{"a":2}] TypeError: bad () => 1\n' })
  })

  it('says which line failed, also behind a return', async () => {
    expect(await errorOf('let a\nif (!a) throw new TypeError("bad")\nreturn a')).toMatchObject({
      message: 'TypeError: bad (line 2)',
    })
    expect(await errorOf('throw "a text"')).toMatchObject({ message: 'Thrown: a text' })
  })

  it('names the tools when the program calls one that is not there', async () => {
    expect(await errorOf('await tools.nothing({})')).toMatchObject({
      message: 'TypeError: not a function (line 1). The functions of tools are: echo',
    })
  })

  it.each([
    ['a proxy', 'throw new Proxy(new Error("x"), { get() { throw 1 } })'],
    ['a value without a text', 'throw { toJSON() { throw 1 }, toString() { throw 2 } }'],
  ])('ends when it throws %s', async (_, code) => {
    expect(await errorOf(code)).toMatchObject({ message: 'Thrown: a value that cannot be shown' })
  })
})
