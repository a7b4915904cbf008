import { chosenPart } from './parts.ts'

const { name, mutate, pool = 'threads' } = chosenPart()
const reports = `scripts/mutation/reports/${name}`

export default {
  mutate,
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/*', './scripts/mutation/ignore-messages.ts'],
  ignorers: ['messages'],
  // Each mutant meets only the tests that run through its line.
  coverageAnalysis: 'perTest',
  vitest: { configFile: 'scripts/mutation/vitest.config.ts', related: false, pool },
  // Types were never looked at: the sources run with their types stripped.
  disableTypeChecks: false,
  concurrency: 1,
  timeoutMS: 10_000,
  tempDirName: 'scripts/mutation/.sandbox',
  cleanTempDir: 'always',
  ignorePatterns: ['**/dist', '**/.homeward', 'bench', 'scripts/mutation/reports'],
  reporters: ['progress-append-only', 'clear-text', 'json', 'html'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportScoreTable: true },
  jsonReporter: { fileName: `${reports}.json` },
  htmlReporter: { fileName: `${reports}.html` },
  allowConsoleColors: false,
}
