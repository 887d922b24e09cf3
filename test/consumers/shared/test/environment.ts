import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// The README's examples read their addresses when they are loaded; tests then say where the provider really is.
process.env.CRM_URL = 'http://crm.invalid';
process.env.ACCOUNTING_URL = 'http://accounting.invalid';
process.env.STORE_PATH = join(mkdtempSync(join(tmpdir(), 'sluice-consumer-')), 'operations.db');
