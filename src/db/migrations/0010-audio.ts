// Audio: whose a cloned or designed voice is, and reservations that grow once it is known how long a recording lasts.
import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Voices that are not here are the providers' own (gateway-api.md "Ownership").
    create table voice (
      voice_id text primary key check (voice_id <> '' and length(voice_id) <= 256),
      account_id bigint not null references account (id),
      -- Of the catalog's providers: a cloned voice is known to the one that made it alone.
      provider text not null,
      -- Which made it.
      model text not null,
      name text not null,
      -- The call that made it, and what that cost: nobody is shown a voice whose charge never came to the books.
      call_id uuid not null,
      cost bigint not null,
      created_at timestamptz not null
    );
    create index voice_account on voice (account_id, created_at);

    -- Raises a reservation to _want: all of it or nothing. Asked again it says the same. One that has ended, or never was, is refused.
    create function ledger_raise(_account bigint, _id uuid, _want bigint)
    returns table (granted bigint, available bigint, reserved bigint, refused text, key_left bigint) language plpgsql
    set lock_timeout = '1s' as $$
    #variable_conflict use_column
    declare held hold; more bigint;
    begin
      perform set_config('synchronous_commit', 'off', true);
      select b.available, b.reserved into available, reserved from balance b where b.account_id = _account for no key update;
      select * into held from hold h where h.account_id = _account and h.id = _id;
      if held.id is null then raise exception 'the reservation has ended' using errcode = 'no_data_found'; end if;
      select k.limit_amount - k.spent - k.reserved into key_left from key_budget k where k.account_id = _account and k.key_id = held.key_id;
      more := _want - held.amount;
      if more <= 0 then granted := held.amount;
      elsif available < more then refused := 'balance';
      elsif key_left < more then refused := 'key';
      else
        -- A hold keeps its amount until it ends: it makes way for its successor.
        delete from hold h where h.account_id = _account and h.id = _id;
        held.amount := _want;
        insert into hold select (held).*;
        granted := _want;
      end if;
      return next;
    end $$;
  `.execute(db);
}
