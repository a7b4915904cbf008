import { type GradedCase, type Level, levels } from './conformance-case.ts'

/** A case with the level that it belongs to. */
export interface LeveledCase<Case> {
  readonly level: Level
  readonly graded: Case
}

/** The cases of a level and of the levels below it; only those with the ids of `only`, if it has any. */
export function selectCases<Trial, Case extends GradedCase<Trial>>(wanted: {
  readonly cases: Readonly<Record<Level, readonly Case[]>>
  readonly level: Level
  readonly only: readonly string[]
}): LeveledCase<Case>[] {
  const { cases, level, only } = wanted
  const all = levels
    .slice(0, levels.indexOf(level) + 1)
    .flatMap((each) => cases[each].map((graded) => ({ level: each, graded })))
  return only.length === 0 ? all : all.filter(({ graded }) => only.includes(graded.id))
}
