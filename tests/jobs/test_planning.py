from dprules.jobs import plan_list, plan_stream


def test_plans_are_those_of_the_learners():
    assert plan_list(30, 1.0, 1e-6, error=0.1).candidates == 60
    assert plan_stream(10, 0.2, 100_000, 1.0, 1e-6).mistakes > 0
