import { runStep } from './run-step.ts'
import { publishedPackages } from './workspace-packages.ts'

// One after the other: the types of a package are made against the built types of those that it imports.
for (const { name, folder } of publishedPackages()) {
  console.log(`build ${name}`)
  const code = await runStep('tsup', [], folder)
  if (code !== 0) process.exit(code)
}
