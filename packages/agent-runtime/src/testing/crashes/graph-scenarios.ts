import { graphInCodeScenario } from './graph-in-code-scenario.ts'
import { rerunGraphScenario } from './rerun-graph-scenario.ts'

/** Graphs whose nodes are functions, agents and other graphs. */
export const graphScenarios = [graphInCodeScenario, rerunGraphScenario] as const
