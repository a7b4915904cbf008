export { race, setupCase, type ConformanceCase, type SetupHarness } from './conformance-case.ts'
export {
  ConformanceError,
  expectAborts,
  expectCode,
  expectRejection,
  expectSame,
  expectTrue,
  toText,
} from './expect.ts'
export { confusableStrings, edgeCaseJson } from './exact-values.ts'
