import { type GradedCase, type Level, levels } from './conformance-case.ts'

/** A case with the level that it belongs to. */
export interface LeveledCase<Case> {
  readonly level: Level
  readonly graded: Case
}

/** The cases of some levels and of the levels that they include; only those with the ids of `only`, if it has any. */
export function selectCases<Trial, Case extends GradedCase<Trial>>(wanted: {
  readonly cases: Readonly<Record<Level, readonly Case[]>>
  readonly level: readonly Level[]
  readonly only: readonly string[]
}): LeveledCase<Case>[] {
  const { cases, level, only } = wanted
  const isCoreOnly = level.every((each) => each === 'core')
  const all = levels
    .filter((each) => each === 'core' || level.includes(each) || (each === 'robust' && !isCoreOnly))
    .flatMap((each) => cases[each].map((graded) => ({ level: each, graded })))
  return only.length === 0 ? all : all.filter(({ graded }) => only.includes(graded.id))
}
