// Every TypeScript example of README, guides and error page compiles, strictly, as it is printed.
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ts from 'typescript';

const FILES = ['README.md', 'docs/errors.md', ...readdirSync('docs/guides').map((name) => `docs/guides/${name}`)];

const CRM = `
  declare class CrmService {
    constructor(http: HttpService);
    contact(...ids: string[]): Promise<unknown>;
  }
  declare const crm: ProviderContract;
  declare const app: INestApplicationContext;
`;
const PAYMENTS = `
  interface Payment { id: string; cents: number }
  declare class Payments { pay(payment: Payment): Promise<{ number: string }> }
`;
const PROVIDER = 'declare const provider: ProviderSimulator;';

/** What stands around a part of a program that is printed alone, by its file and the words it begins with. */
const AROUND: Readonly<Record<string, readonly [before: string, after: string]>> = {
  'docs/errors.md try {': [
    `declare const crm: { contact(accountId: string, id: string): Promise<unknown> };
     declare const log: { warn(...parts: unknown[]): void };
     declare const later: (at: Date | null) => void;
     export async function work(accountId: string, id: string): Promise<void> {`,
    '}',
  ],
  'docs/guides/events.md app.get(': [
    `${CRM} declare const throttled: { add(by: number, labels: Record<string, unknown>): void };`,
    '',
  ],
  'docs/guides/nest.md @Module({': [CRM, ''],
  'docs/guides/nest.md RateLimitModule.forRootAsync({': [
    `declare class ConfigService { get(key: string): string }
     declare const crm: (baseURL: string) => ProviderContract;`,
    '',
  ],
  'docs/guides/nest.md @Injectable()\nclass BillingService': [
    `interface InvoiceDto { timesheetId: string; customerId: string }
     interface Invoice { number: number }`,
    '',
  ],
  'docs/guides/nest.md @Injectable()\nexport class InvoiceRun': [
    `interface InvoiceDto { timesheetId: string }
     interface Invoice { number: number }
     declare class BillingService { createInvoice(dto: InvoiceDto): Promise<Invoice> }`,
    '',
  ],
  'docs/guides/nest.md @Injectable()': ['interface InvoiceDto { timesheetId: string }', ''],
  "docs/guides/nest.md @Throttled('vimeo', {": [
    `declare class VimeoError { statusCode: number; headers: Record<string, string> }
     interface Video { id: string }
     export class Vimeo { constructor(private readonly sdk: { video(id: string): Promise<Video> }) {}`,
    '}',
  ],
  "docs/guides/nest.md @Throttled('vimeo', { guard: 'method', answer: (result, error) => explain(result, error) })": [
    `interface Profile { id: string }
     type Callback = (error: Error | null, body: Profile, status: number, headers: Record<string, string>) => void;
     declare const explain: (result: unknown, error: unknown) => Answer | undefined;
     export class Vimeo { constructor(private readonly sdk: { request(options: { path: string }, done: Callback): void }) {}`,
    '}',
  ],
  'docs/guides/nest.md inbound: {': ['export const options: RateLimitModuleOptions = { providers: [],', '};'],
  'docs/guides/nest.md const module =': [CRM, 'export {};'],
  "docs/guides/writes.md @Controller('payments')": [PAYMENTS, ''],
  'docs/guides/writes.md @Injectable()\nexport class Backfill': [PAYMENTS, ''],
  "docs/guides/testing.md test('120": [
    `${CRM} declare const crmContract: (http: Record<string, unknown>) => ProviderContract;`,
    '',
  ],
  "docs/guides/testing.md test('a payment": [
    `${PAYMENTS} declare const bankContract: (http: Record<string, unknown>) => ProviderContract;`,
    '',
  ],
  'docs/guides/testing.md const provider =': ['', 'export { provider };'],
  'docs/guides/testing.md provider.faults =': [PROVIDER, ''],
  'docs/guides/testing.md provider.play(': [PROVIDER, ''],
  'docs/guides/testing.md const contact =': [`${CRM} declare const fakeHttp: HttpService;`, 'export { contact };'],
};

/** Where names come from that a part of a program does not import itself. */
const FROM: Readonly<Record<string, readonly string[]>> = {
  '@nestjs/axios': ['HttpService'],
  '@nestjs/common': ['INestApplicationContext', 'Injectable', 'Module'],
  '@nestjs/testing': ['Test'],
  'nestjs-sluice': [
    'absent',
    'Answer',
    'Durable',
    'found',
    'Idempotent',
    'InjectProvider',
    'Operations',
    'ProviderContract',
    'RateLimitModule',
    'RateLimitModuleOptions',
    'RateLimitService',
    'Reconciled',
    'Throttled',
  ],
  'nestjs-sluice/testing': ['ProviderSimulator', 'sluiceTesting', 'VirtualClock'],
  rxjs: ['firstValueFrom'],
};

interface Example {
  readonly where: string;
  readonly around: string | undefined;
  readonly program: string;
}

const used = new Set<string>();

function exampleOf(file: string, code: string): Example {
  const imports = (/^(?:import [^\n]*\n|\n)*/.exec(code) as RegExpExecArray)[0];
  const body = code.slice(imports.length);
  const around = Object.keys(AROUND)
    .filter((key) => `${file} ${body}`.startsWith(key))
    .sort((one, other) => other.length - one.length)[0];
  if (around !== undefined) used.add(around);
  const [before, after] = around === undefined ? ['', ''] : (AROUND[around] as readonly [string, string]);
  const given = Object.entries(around === undefined ? {} : FROM).map(([from, names]) => {
    const needed = names.filter(
      (name) => new RegExp(`\\b${name}\\b`).test(before + body) && !new RegExp(`\\b${name}\\b`).test(imports),
    );
    return needed.length === 0 ? '' : `import { ${needed.join(', ')} } from '${from}';\n`;
  });
  return {
    where: `${file}: ${body.split('\n')[0]}`,
    around,
    program: `${given.join('')}${imports}${before}\n${body}${after}`,
  };
}

const examples = FILES.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code]) =>
    exampleOf(file, code as string),
  ),
);

/** What the compiler says of each program, as one build of them all. */
function complaints(programs: readonly string[]): readonly string[][] {
  const config = ts.readConfigFile('tsconfig.json', ts.sys.readFile).config as { compilerOptions: object };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, process.cwd());
  const host = ts.createCompilerHost({ ...options, isolatedModules: false });
  const names = programs.map((_, i) => resolve(`test/guides/example-${i}.ts`));
  const textOf = (name: string): string | undefined => programs[names.indexOf(name)];
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (name) => textOf(name) !== undefined || fileExists.call(host, name);
  host.readFile = (name) => textOf(name) ?? readFile.call(host, name);
  host.getSourceFile = (name, target, ...rest) => {
    const text = textOf(name);
    return text === undefined
      ? getSourceFile.call(host, name, target, ...rest)
      : ts.createSourceFile(name, text, target, true);
  };
  const program = ts.createProgram(names, { ...options, isolatedModules: false, declaration: false }, host);
  return names.map((name) => {
    const source = program.getSourceFile(name);
    return ts
      .getPreEmitDiagnostics(program, source)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  });
}

const SLIP = (examples[0] as Example).program.replace('maxWait', 'maxWiat');
let found: readonly string[][];
beforeAll(() => {
  found = complaints([...examples.map(({ program }) => program), SLIP]);
});

test('every TypeScript example of README, guides and error page compiles as it is printed', () => {
  expect(examples.length).toBeGreaterThan(15);
  const wrong = examples.flatMap(({ where }, i) => (found[i] as string[]).map((text) => `${where}: ${text}`));
  expect(wrong).toEqual([]);
});

test('a slip in an example is noticed', () => {
  expect((found.at(-1) as string[]).join()).toContain('maxWiat');
});

test('what is given around examples is all needed, and every other code block is of a kind that another spec runs', () => {
  expect([...used].sort()).toEqual(Object.keys(AROUND).sort());
  // Shell lines are for the reader; `js` parts of readings are run beside their source; a diagram is read by writes.spec.ts.
  const kinds = FILES.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^```(\w*)\n[\s\S]*?^```/gm)].map(([, kind]) => `${file} ${kind}`),
  );
  const others = [...new Set(kinds.filter((kind) => !kind.endsWith(' ts')))];
  expect(others).toEqual(['README.md sh', 'docs/guides/reading.md js', 'docs/guides/writes.md mermaid']);
});
