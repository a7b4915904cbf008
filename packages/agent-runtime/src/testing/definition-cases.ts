import type { StoreHarness } from './conformance-case.ts'
import { type ConformanceCase, race, expectAborts, expectSame } from '@homeward/kit/testing'
import { storeCase } from './conformance-case.ts'
import { at, idsOf } from './conformance-fixtures.ts'

/** What every definition has: agents and graphs are kept in the same way. */
interface Definition {
  readonly id: string
  readonly name?: string | undefined
  readonly created_at: string
  readonly updated_at: string
}

/** The verbs of a store of definitions. */
interface DefinitionVerbs<Kept extends Definition> {
  insert(definition: Kept, signal?: AbortSignal): Promise<boolean>
  replace(definition: Kept, signal?: AbortSignal): Promise<boolean>
  remove(id: string, signal?: AbortSignal): Promise<boolean>
  find(id: string, signal?: AbortSignal): Promise<Kept | undefined>
  list(signal?: AbortSignal): Promise<readonly Kept[]>
}

/** A kind of definition, as {@link definitionCases} looks at it. */
interface DefinitionKind<Store, Kept extends Definition> {
  /** The decision that it is kept by. */
  readonly decision: string
  /** One of them, with its article. */
  readonly one: string
  readonly many: string
  /** Makes one that has every field. */
  readonly create: (id: string, changes?: Partial<Definition>) => Kept
  /** The same without one of its optional fields. */
  readonly withoutField: (definition: Kept) => Kept
  /** Changes everything inside that can be changed. */
  readonly spoil: (definition: Kept) => void
  readonly verbsOf: (store: Store) => DefinitionVerbs<Kept>
}

/** What every store of definitions promises. */
export function definitionCases<Store, Kept extends Definition>(
  kind: DefinitionKind<Store, Kept>,
): ConformanceCase<StoreHarness<Store>>[] {
  return [...keepingCases(kind), ...listingCases(kind), ...isolationCases(kind)]
}

function keepingCases<Store, Kept extends Definition>({
  decision,
  one,
  create,
  withoutField,
  verbsOf,
}: DefinitionKind<Store, Kept>): ConformanceCase<StoreHarness<Store>>[] {
  return [
    storeCase(`${decision}: gives ${one} back as it was`, async (store) => {
      const { insert, find, list } = verbsOf(store)
      expectSame(await insert(create('d1')), true, 'the insertion')
      expectSame(await find('d1'), create('d1'), 'what was inserted')
      expectSame(await find('D1'), undefined, 'what is there under another spelling')
      expectSame(await list(), [create('d1')], 'the list')
    }),
    storeCase(`${decision}: an id is given once, however many insertions race`, async (store) => {
      const { insert, find } = verbsOf(store)
      const outcomes = await race((index) => insert(create('d1', { name: `n${index}` })))
      const winner = outcomes.indexOf(true)
      expectSame(outcomes.filter(Boolean).length, 1, 'how many insertions succeeded')
      expectSame((await find('d1'))?.name, `n${winner}`, 'what is kept')
      expectSame(await insert(create('d1', { name: 'late' })), false, 'a late insertion')
      expectSame((await find('d1'))?.name, `n${winner}`, 'what is kept after it')
    }),
    storeCase(`${decision}: replaces ${one} as a whole, and only one that is there`, async (store) => {
      const { insert, replace, list } = verbsOf(store)
      const plain = withoutField(create('d1', { updated_at: at(5) }))
      expectSame(await replace(plain), false, 'replacing none')
      expectSame(await list(), [], 'the list after replacing none')
      await insert(create('d1'))
      await insert(create('d2'))
      expectSame(await replace(plain), true, 'replacing one')
      expectSame(await list(), [plain, create('d2')], 'the list')
    }),
    storeCase(`${decision}: deletes ${one} once, however many deletions race`, async (store) => {
      const { insert, remove, find, list } = verbsOf(store)
      await insert(create('d1'))
      await insert(create('d2'))
      const outcomes = await race(() => remove('d1'))
      expectSame(outcomes.filter(Boolean).length, 1, 'how many deletions succeeded')
      expectSame(await find('d1'), undefined, 'what was deleted')
      expectSame(idsOf(await list()), ['d2'], 'the list')
      expectSame(await insert(create('d1')), true, 'a new one under the id')
    }),
  ]
}

function listingCases<Store, Kept extends Definition>({
  decision,
  many,
  create,
  verbsOf,
}: DefinitionKind<Store, Kept>): ConformanceCase<StoreHarness<Store>>[] {
  return [
    storeCase(`${decision}: lists ${many} oldest first, then by id`, async (store) => {
      const { insert, list } = verbsOf(store)
      const ages = { c: 1, a: 2, B: 2, d: 0 }
      for (const [id, second] of Object.entries(ages)) await insert(create(id, { created_at: at(second) }))
      expectSame(idsOf(await list()), ['d', 'c', 'B', 'a'], 'the order, ids by code units')
    }),
    storeCase(`${many} are still there when the storage is opened again`, async (store, { reopen }) => {
      await verbsOf(store).insert(create('d1'))
      if (reopen === undefined) return
      expectSame(await verbsOf(await reopen()).list(), [create('d1')], 'the list')
    }),
  ]
}

function isolationCases<Store, Kept extends Definition>({
  one,
  many,
  create,
  spoil,
  verbsOf,
}: DefinitionKind<Store, Kept>): ConformanceCase<StoreHarness<Store>>[] {
  return [
    storeCase(`${one} does not change with the object it was given or gave`, async (store) => {
      const { insert, find } = verbsOf(store)
      const given = create('d1')
      await insert(given)
      spoil(given)
      const found = await find('d1')
      if (found) spoil(found)
      expectSame(await find('d1'), create('d1'), 'what is kept')
    }),
    storeCase(`verbs on ${many} give up when their signal has aborted`, async (store) => {
      const { insert, replace, remove, find, list } = verbsOf(store)
      await insert(create('d1'))
      await expectAborts({
        insert: (signal) => insert(create('d2'), signal),
        replace: (signal) => replace(create('d1', { name: 'new' }), signal),
        remove: (signal) => remove('d1', signal),
        find: (signal) => find('d1', signal),
        list: (signal) => list(signal),
      })
      expectSame(await list(), [create('d1')], 'the list afterwards')
    }),
  ]
}
