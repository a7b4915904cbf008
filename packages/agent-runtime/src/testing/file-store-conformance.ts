import { type ConformanceCase, expectAborts, expectCode, expectSame, race } from '@homeward/kit/testing'
import type { FileReference } from '../ports/file.ts'
import type { FileOwner, FileWrite } from '../store/ports/file-store.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import { type StoreHarness, storeCase } from './conformance-case.ts'
import { appendOf, at, finishOf, leaseOf, oddText, runOf } from './conformance-fixtures.ts'
import { pruneAll } from './retention-accounts.ts'
import { claimOf, outcomes, settlementOf, taskOf } from './tasks/task-fixtures.ts'

/** Store methods that the cases use. */
export type FileConformanceStore = Pick<
  RuntimeStore,
  | 'saveFiles'
  | 'findFile'
  | 'insertRun'
  | 'findRun'
  | 'finishRun'
  | 'insertTask'
  | 'findTask'
  | 'claimTasks'
  | 'settleTask'
  | 'appendMessages'
  | 'deleteConversation'
  | 'prune'
>

const bytesOf = (seed: string) =>
  Uint8Array.from({ length: 300 }, (_, index) => (index + seed.charCodeAt(0)) % 256)

/** A file with bytes that belong to a seed; equal seeds have equal bytes. */
function fileOf(id: string, seed = id, changes: Partial<FileReference> = {}): FileReference {
  const sha256 = seed.charCodeAt(0).toString(16).padStart(64, '0')
  return { id, name: oddText, media_type: 'image/png', bytes: 300, sha256, ...changes }
}

const contentOf = (seed: string) => ({ sha256: fileOf('', seed).sha256, content: bytesOf(seed) })

function writeOf(owner: FileOwner, files: readonly FileReference[], seeds: readonly string[]): FileWrite {
  return { owner, files, contents: seeds.map(contentOf), now: at(0) }
}

const run = (id: string, conversationId?: string): FileOwner => ({ kind: 'run', id, conversationId })

const isStored = async (store: FileConformanceStore, id: string) => (await store.findFile(id)) !== undefined

/** Whether the bytes of a seed are stored: then another file can have them without bringing them. */
async function hasBytes(store: FileConformanceStore, seed: string): Promise<boolean> {
  const write = writeOf(run('probe'), [fileOf(`probe ${seed}`, seed)], [])
  try {
    await store.saveFiles(write)
    return true
  } catch {
    return false
  }
}

/** The end of a run that adds nothing to a conversation. */
function endOf(id: string, second: number) {
  const { conversation: _, ...end } = finishOf(id, { finishedAt: at(second) })
  return end
}

type Case = ConformanceCase<StoreHarness<FileConformanceStore>>

const writing: readonly Case[] = [
  storeCase('gives a file back with its bytes, and nothing for an unknown one', async (store) => {
    await store.saveFiles(writeOf(run('r1'), [fileOf('a'), fileOf('b')], ['a', 'b']))
    for (const id of ['a', 'b']) {
      const { content, ...file } = (await store.findFile(id)) ?? { content: new Uint8Array() }
      expectSame(file, { ...fileOf(id), createdAt: at(0), owner: { kind: 'run', id: 'r1' } }, 'the file')
      expectSame([...content], [...bytesOf(id)], 'its bytes')
    }
    expectSame(await store.findFile('c'), undefined, 'an unknown file')
  }),
  storeCase('takes a file without bytes if they are stored, and all of a write or nothing', async (store) => {
    await store.saveFiles(writeOf(run('r1'), [fileOf('a')], ['a']))
    await store.saveFiles(writeOf(run('r1'), [fileOf('again', 'a')], []))
    expectSame([...((await store.findFile('again'))?.content ?? [])], [...bytesOf('a')], 'the bytes')
    const write = writeOf(run('r1'), [fileOf('b'), fileOf('c')], ['b'])
    await expectCode(() => store.saveFiles(write), 'not_found', 'a file without bytes')
    expectSame([await isStored(store, 'b'), await isStored(store, 'c')], [false, false], 'what was stored')
  }),
  storeCase('leaves a file that is stored as it is, however many writes race', async (store) => {
    await race(() => store.saveFiles(writeOf(run('r1'), [fileOf('a'), fileOf('b')], ['b', 'a'])))
    await store.saveFiles(writeOf(run('r2'), [fileOf('a', 'z', { name: 'other' })], ['z']))
    expectSame((await store.findFile('a'))?.name, oddText, 'the name')
    expectSame([...((await store.findFile('a'))?.content ?? [])], [...bytesOf('a')], 'the bytes')
  }),
  storeCase('stores files with a run and with a task, in the same write', async (store) => {
    const given = { contents: [contentOf('a')] }
    const { run: kept } = await store.insertRun(
      { ...runOf('r1', { files: [fileOf('a')], idempotencyKey: 'k' }), ...given },
      leaseOf(),
      [],
    )
    expectSame('contents' in kept, false, 'whether the run has the bytes')
    expectSame(
      (await store.findRun('r1'))?.kind === 'agent' && kept.kind === 'agent' && kept.files,
      [fileOf('a')],
      'the files of the run',
    )
    await store.insertRun(
      { ...runOf('r2', { files: [fileOf('x')], idempotencyKey: 'k' }), ...given },
      leaseOf(),
      [],
    )
    expectSame(await isStored(store, 'x'), false, 'a file of a run that was there before')
    await expectCode(
      () => store.insertRun(runOf('r3', { files: [fileOf('y')] }), leaseOf(), []),
      'not_found',
      'a run whose bytes are missing',
    )
    expectSame(await store.findRun('r3'), undefined, 'that run')
    const { task } = await store.insertTask(
      { ...taskOf('t1', { files: [fileOf('b')] }), contents: [contentOf('b')] },
      [],
    )
    expectSame('contents' in task, false, 'whether the task has the bytes')
    expectSame((await store.findTask('t1'))?.files, [fileOf('b')], 'the files of the task')
    expectSame([await isStored(store, 'a'), await isStored(store, 'b')], [true, true], 'the files')
  }),
]

const deleting: readonly Case[] = [
  storeCase('A14: deletes the files of a run and of a task with it', async (store) => {
    for (const id of ['old', 'new']) {
      const files = [fileOf(`${id} own`, id), fileOf(`${id} shared`, 's')]
      const contents = [contentOf(id), contentOf('s')]
      await store.insertRun({ ...runOf(id, { store: false, files }), contents }, leaseOf(), [])
      await store.finishRun(endOf(id, id === 'old' ? 1 : 100))
    }
    await pruneAll(store, { runsBefore: at(50) })
    expectSame(
      [await isStored(store, 'old own'), await isStored(store, 'new own')],
      [false, true],
      'the files',
    )
    expectSame([await hasBytes(store, 'old'), await hasBytes(store, 's')], [false, true], 'the bytes')
    await pruneAll(store, { endedRuns: 0 })
    expectSame(await isStored(store, 'new own'), false, 'a file of a run that is one too many')

    await store.insertTask(
      { ...taskOf('t1', { files: [fileOf('of t1', 't')] }), contents: [contentOf('t')] },
      [],
    )
    await store.claimTasks(claimOf())
    await store.settleTask(settlementOf('t1', outcomes.failed, { now: at(5) }))
    await pruneAll(store, { tasksBefore: at(100) })
    expectSame(
      [await isStored(store, 'of t1'), await hasBytes(store, 't')],
      [false, false],
      'that of the task',
    )
  }),
  storeCase('A12: keeps files of a conversation for as long as it exists', async (store) => {
    await store.insertRun(
      { ...runOf('r1', { files: [fileOf('a')] }), contents: [contentOf('a')] },
      leaseOf(),
      [],
    )
    await store.saveFiles(writeOf(run('r1', 'c1'), [fileOf('b')], ['b']))
    await store.saveFiles(writeOf(run('r1'), [fileOf('d')], ['d']))
    await store.appendMessages(appendOf(['m1']))
    await store.finishRun(endOf('r1', 1))
    await pruneAll(store, { runsBefore: at(50) })
    const stored = () => Promise.all(['a', 'b', 'd'].map((id) => isStored(store, id)))
    expectSame(await stored(), [true, true, false], 'the files while the conversation is there')
    await store.deleteConversation('c1')
    expectSame(await stored(), [false, false, false], 'the files after it')
    expectSame([await hasBytes(store, 'a'), await hasBytes(store, 'b')], [false, false], 'the bytes')
  }),
  storeCase('keeps bytes that a new file gets at the moment when the last old one goes', async (store) => {
    for (const round of ['1', '2', '3', '4']) {
      await store.appendMessages(appendOf([round], { conversationId: round }))
      await store.saveFiles(writeOf(run('r1', round), [fileOf(`old ${round}`, 'a')], ['a']))
      await Promise.all([
        store.deleteConversation(round),
        store.saveFiles(writeOf(run('r2'), [fileOf(`new ${round}`, 'a')], ['a'])),
      ])
      expectSame([...((await store.findFile(`new ${round}`))?.content ?? [])], [...bytesOf('a')], 'the bytes')
    }
  }),
  storeCase('gives up when its signal has aborted, before files change', async (store) => {
    await expectAborts({
      saveFiles: (signal) => store.saveFiles(writeOf(run('r1'), [fileOf('a')], ['a']), signal),
      findFile: (signal) => store.findFile('a', signal),
    })
    expectSame(await isStored(store, 'a'), false, 'whether the file was stored')
  }),
]

/**
 * Conformance cases for a `FileStore`, for any test runner.
 *
 * @example
 * for (const { name, run } of fileStoreConformance) it(name, () => run({ create: async () => ({ store: createMyStore() }) }))
 */
export const fileStoreConformance: readonly Case[] = [...writing, ...deleting]
