import { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import { InjectProvider, RateLimitService, Throttled } from 'nestjs-sluice';
import { firstValueFrom } from 'rxjs';

/** A file of the other module format than its Nest: what it writes on requests and reads from answers is typed all the same. */
@Injectable()
export class Mixed {
  constructor(
    @InjectProvider('crm') private readonly http: HttpService,
    private readonly service: RateLimitService,
  ) {}

  @Throttled('crm')
  async attempts(tenant: string): Promise<number | undefined> {
    this.service.attach('crm', this.http.axiosRef);
    const answer = await firstValueFrom(this.http.get('/contacts', { sluice: { tenant } }));
    return answer.sluice?.attempts;
  }
}
