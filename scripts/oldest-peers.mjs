// Pins a project's dependencies to the oldest versions that the package says it works with.
//   node scripts/oldest-peers.mjs <the package's package.json> <the project's package.json>
import { readFileSync, writeFileSync } from 'node:fs';

const [packageFile, projectFile] = process.argv.slice(2);
const { peerDependencies } = JSON.parse(readFileSync(packageFile, 'utf8'));
const project = JSON.parse(readFileSync(projectFile, 'utf8'));

const oldest = (name) => /^\^(\d+\.\d+\.\d+)/.exec(peerDependencies[name])?.[1];
for (const group of [project.dependencies, project.devDependencies]) {
  for (const name of Object.keys(group)) {
    // Nest's own packages are released together: one number for those that are no peer of ours.
    const peer = name in peerDependencies ? name : name.startsWith('@nestjs/') ? '@nestjs/common' : null;
    if (peer !== null) group[name] = oldest(peer);
  }
}
writeFileSync(projectFile, `${JSON.stringify(project, null, 2)}\n`);
